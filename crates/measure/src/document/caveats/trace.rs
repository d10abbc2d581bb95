//! Caveats of a trace; pure.

use std::collections::BTreeMap;

use logtrace_report::document::{Caveat, CaveatKind, Document};

use crate::config::trace_config::TraceConfig;
use crate::document::caveats::silent_probes::silent_probes;
use crate::document::caveats::tracing::tracing_caveats;
use crate::outcome::trace_outcome::{Ended, TraceOutcome};

/// Returns all caveats of a trace.
pub(crate) fn caveats(config: &TraceConfig, raw: &TraceOutcome, document: &Document) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    caveats.extend(early_end(config, raw.ended));
    caveats.extend(tracing_caveats(raw.snapshot.traced.as_ref(), document));
    if silent_probes(raw.snapshot.traced.as_ref(), document).is_none() {
        caveats.extend(no_commits(document));
    }
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
    use std::time::Duration;

    use super::*;
    use crate::samples::{trace_config, trace_document, trace_outcome};

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

    #[test]
    fn a_signal_ends_a_trace_early_only_if_it_has_a_duration() {
        let minute = trace_config(Some(Duration::from_secs(60)));
        let endless = trace_config(None);
        let kind = |config, ended| early_end(config, ended).map(|caveat| caveat.kind);
        assert_eq!(kind(&minute, Ended::Interrupted), Some(CaveatKind::Interrupted));
        assert_eq!(kind(&endless, Ended::Interrupted), None);
        for config in [&minute, &endless] {
            assert_eq!(kind(config, Ended::ServerGone), Some(CaveatKind::ServerDied));
            assert_eq!(kind(config, Ended::Completed), None);
            assert_eq!(kind(config, Ended::NotYet), None);
        }
    }

    #[test]
    fn the_caveats_of_a_trace_of_a_server_that_died_begin_with_its_end() {
        let mut raw = trace_outcome();
        raw.ended = Ended::ServerGone;
        raw.snapshot.server.variables.clear();
        let traced = raw.snapshot.traced.as_mut().unwrap();
        traced.open_commits = 2;
        let caveats = caveats(&trace_config(None), &raw, &trace_document());
        let kinds: Vec<CaveatKind> = caveats.into_iter().map(|caveat| caveat.kind).collect();
        let expected = [
            CaveatKind::ServerDied,
            CaveatKind::CommitsUnderWay,
            CaveatKind::UnknownNames,
        ];
        assert_eq!(kinds, expected);
    }
}
