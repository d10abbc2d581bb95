//! What a reader must know before trusting the numbers of a trace; pure.

use std::collections::BTreeMap;

use logtrace_report::document::Document;

use super::config::TraceConfig;
use super::outcome::{Ended, Raw};
use crate::measurement::{Finding, degrading, of_tracing, telling};

/// Everything worth telling about a trace.
pub(crate) fn findings(config: &TraceConfig, raw: &Raw, document: &Document) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(of_end(config, raw.ended));
    found.extend(of_tracing(raw.observed.traced.as_ref(), document));
    found.extend(of_commits(document));
    found.extend(of_names(&raw.observed.server.variables));
    found
}

fn of_end(config: &TraceConfig, ended: Ended) -> Option<Finding> {
    match ended {
        Ended::ServerGone => Some(degrading(
            "server_died",
            "the server's process ended during the trace (it died, was stopped or restarted): this is what was seen \
             until then"
                .into(),
        )),
        // Without a duration it is how a trace ends.
        Ended::Interrupted if config.duration.is_some() => {
            Some(telling("interrupted", "the trace was ended before its time".into()))
        }
        Ended::Interrupted | Ended::Completed | Ended::NotYet => None,
    }
}

fn of_commits(document: &Document) -> Option<Finding> {
    let commits = document.commits.as_ref()?;
    (commits.count == 0).then(|| {
        telling(
            "no_commits",
            "no read-write commit began and ended while the server was traced: nobody wrote to a transactional \
             table, or another server than this one has the load"
                .into(),
        )
    })
}

/// A server that was not asked may not tell how its logs are called.
fn of_names(variables: &BTreeMap<String, String>) -> Option<Finding> {
    let has_binlog = variables.get("log_bin").is_none_or(|value| value != "OFF");
    let names = [
        ("log_bin_basename", has_binlog),
        ("slow_query_log_file", true),
        ("general_log_file", true),
    ];
    let unknown: Vec<&str> = names
        .into_iter()
        .filter(|&(name, is_needed)| is_needed && !variables.contains_key(name))
        .map(|(name, _)| name)
        .collect();
    (!unknown.is_empty()).then(|| {
        telling(
            "unknown_names",
            format!(
                "the server's process does not tell {}: such a log counts as file class \"other\". Name the server by \
                 its socket or address instead, if there is a login",
                unknown.join(", ")
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(pairs: &[(&str, &str)]) -> Option<String> {
        let map = pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()));
        of_names(&map.collect()).map(|finding| finding.caveat.text)
    }

    #[test]
    fn names_that_are_not_known_are_told() {
        let logs = [("slow_query_log_file", "a"), ("general_log_file", "b")];
        let binlog = |name, value| [&[(name, value)], &logs[..]].concat();
        assert_eq!(kinds(&binlog("log_bin_basename", "/x/binlog")), None);
        assert_eq!(kinds(&binlog("log_bin", "OFF")), None);
        let text = kinds(&binlog("log_bin", "ON")).unwrap();
        assert!(
            text.contains("log_bin_basename") && !text.contains("slow"),
            "{text}"
        );
        assert!(
            kinds(&[("log_bin", "OFF")])
                .unwrap()
                .contains("slow_query_log_file, general_log_file")
        );
    }
}
