//! What statements waited for outside of their commits.

use crate::document::{Document, StatementCause};
use crate::render::table::Table;
use crate::units;
use logtrace_common::FileClass;

/// Causes with less than this share of the time are one row, but for the logs of statements.
const SMALL: f64 = 0.01;

/// How many statements there were and how long each took outside of commits; `None` where they were not explained.
pub(crate) fn title(document: &Document) -> Option<String> {
    let statements = document.statements.as_ref()?;
    let mean = units::mean(statements.total, statements.count)?;
    Some(format!(
        "statements outside of commits: {}, mean {}",
        units::count(statements.count),
        units::duration(mean)
    ))
}

/// One row for each cause, the largest first; `None` where there is nothing to tell.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let statements = document
        .statements
        .as_ref()
        .filter(|statements| statements.count > 0)?;
    let share = |total| units::share(total, statements.total).unwrap_or(0.0);
    let numbers = |total| {
        let mean = units::mean(total, statements.count).map_or_else(|| "-".to_owned(), units::duration);
        [mean, format!("{:.1} %", share(total) * 100.0)]
    };
    let is_log = |row: &StatementCause| {
        matches!(
            row.cause.io,
            Some((FileClass::SlowLog | FileClass::GeneralLog, _))
        )
    };
    let is_large = |row: &&StatementCause| share(row.total) >= SMALL || is_log(row);
    let (large, small): (Vec<_>, Vec<_>) = statements.causes.iter().partition(is_large);
    let mut rows: Vec<Vec<String>> = large
        .into_iter()
        .map(|row| words(row).into_iter().chain(numbers(row.total)).collect())
        .collect();
    if !small.is_empty() {
        let total = units::sum(small.iter().map(|row| row.total));
        let name = [
            format!("{} smaller causes", small.len()),
            String::new(),
            String::new(),
            String::new(),
        ];
        rows.push(name.into_iter().chain(numbers(total)).collect());
    }
    Some(Table {
        header: vec!["", "", "", "", "mean", "share"],
        words: 4,
        rows,
    })
}

/// File, operation and wait, without empty cells between them, and whose work.
fn words(row: &StatementCause) -> [String; 4] {
    let (wait, who) = (row.cause.wait.to_string(), row.cause.who.to_string());
    match row.cause.io {
        Some((file, op)) => [file.to_string(), op.to_string(), wait, who],
        None => [wait, String::new(), String::new(), who],
    }
}
