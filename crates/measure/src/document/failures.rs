//! Failed requests: their codes, and the first failure with each code.

use std::collections::BTreeMap;

use logtrace_common::units::count;
use logtrace_driver::{DISCONNECTED, DriveResult, TIMED_OUT};
use logtrace_report::document::FirstError;

/// Number of codes that a caveat names; the others are in `run.json`.
const NAMED: usize = 3;

/// Returns the name of an error code in the document.
pub(crate) fn code_name(code: u16) -> String {
    match code {
        DISCONNECTED => "disconnected".to_owned(),
        TIMED_OUT => "deadline".to_owned(),
        code => code.to_string(),
    }
}

/// Returns the first failure with each code, for the document.
pub(crate) fn first_errors(measured: &DriveResult) -> BTreeMap<String, FirstError> {
    let failures = measured.failures.iter().map(|(&code, failure)| {
        let first = FirstError {
            text: failure.text.clone(),
            statement: failure.statement.clone(),
        };
        (code_name(code), first)
    });
    failures.collect()
}

/// Returns what the failed requests failed with, the most frequent codes first.
pub(crate) fn reasons(measured: &DriveResult) -> String {
    let mut codes: Vec<(u16, u64)> = measured
        .errors
        .iter()
        .map(|(&code, &count)| (code, count))
        .collect();
    codes.sort_by_key(|&(code, count)| (std::cmp::Reverse(count), code));
    let mut reasons: Vec<String> = codes
        .iter()
        .take(NAMED)
        .map(|&code| reason(measured, code))
        .collect();
    if codes.len() > NAMED {
        reasons.push(format!("{} more codes are in run.json", codes.len() - NAMED));
    }
    reasons.join("; ")
}

fn reason(measured: &DriveResult, (code, failed): (u16, u64)) -> String {
    let what = match code {
        DISCONNECTED => "lost their connection".to_owned(),
        TIMED_OUT => "took longer than --deadline".to_owned(),
        code => format!("with error {code}"),
    };
    let first = measured.failures.get(&code).map_or_else(String::new, |first| {
        let statement = first.statement.as_ref();
        let statement = statement.map_or_else(String::new, |sql| format!(" at: {sql}"));
        format!(" ({}{statement})", first.text)
    });
    format!("{} {what}{first}", count(failed))
}
