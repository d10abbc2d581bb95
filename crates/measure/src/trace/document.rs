//! Document of a trace, and its caveats; pure.

use std::collections::BTreeMap;

use logtrace_report::document::{Caveat, Document, Trace};

use super::config::TraceConfig;
use super::trace_outcome::{Ended, TraceOutcome};
use crate::measurement::caveat::{CaveatKind, tracing_caveats};
use crate::measurement::{self, Results};

/// Returns the results of a trace.
pub fn results(config: &TraceConfig, started: &str, raw: TraceOutcome) -> Results {
    let document = document(started, &raw);
    let caveats = caveats(config, &raw, &document);
    Results::new(raw.snapshot, document, caveats)
}

/// Returns the document of a trace, without caveats.
pub(crate) fn document(started: &str, raw: &TraceOutcome) -> Document {
    let mut document = measurement::document(started, &raw.snapshot, []);
    document.trace = Some(Trace {
        pid: raw.pid,
        duration_s: raw.duration.as_secs_f64(),
    });
    document
}

/// Returns all caveats of a trace.
fn caveats(config: &TraceConfig, raw: &TraceOutcome, document: &Document) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    caveats.extend(early_end(config, raw.ended));
    caveats.extend(tracing_caveats(raw.snapshot.traced.as_ref(), document));
    caveats.extend(no_commits(document));
    caveats.extend(unknown_names(&raw.snapshot.server.variables));
    caveats
}

fn early_end(config: &TraceConfig, ended: Ended) -> Option<Caveat> {
    match ended {
        Ended::ServerGone => Some(CaveatKind::ServerDied.caveat(
            "the server's process ended during the trace (it died, was stopped or restarted): the results end there",
        )),
        // A trace without a duration always ends by a signal.
        Ended::Interrupted if config.duration.is_some() => {
            Some(CaveatKind::Interrupted.caveat("a signal ended the trace early"))
        }
        Ended::Interrupted | Ended::Completed | Ended::NotYet => None,
    }
}

fn no_commits(document: &Document) -> Option<Caveat> {
    let commits = document.commits.as_ref()?;
    (commits.count == 0).then(|| {
        CaveatKind::NoCommits.caveat(
            "no read-write commit began during the trace: no client wrote to a transactional table, or the \
             load is on another server",
        )
    })
}

/// Returns a caveat if the names of logs are unknown, as they may be without a login.
fn unknown_names(variables: &BTreeMap<String, String>) -> Option<Caveat> {
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
        CaveatKind::UnknownNames.caveat(format!(
            "the memory of the server's process did not give {}: these logs count as file class \"other\". If you have a \
             login, name the server by its socket or address instead",
            unknown.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pairs: &[(&str, &str)]) -> Option<String> {
        let map = pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()));
        unknown_names(&map.collect()).map(|caveat| caveat.text)
    }

    #[test]
    fn unknown_names_of_logs_are_a_caveat() {
        let logs = [("slow_query_log_file", "a"), ("general_log_file", "b")];
        let binlog = |name, value| [&[(name, value)], &logs[..]].concat();
        assert_eq!(text(&binlog("log_bin_basename", "/x/binlog")), None);
        assert_eq!(text(&binlog("log_bin", "OFF")), None);
        let on = text(&binlog("log_bin", "ON")).unwrap();
        assert!(on.contains("log_bin_basename") && !on.contains("slow"), "{on}");
        assert!(
            text(&[("log_bin", "OFF")])
                .unwrap()
                .contains("slow_query_log_file, general_log_file")
        );
    }
}
