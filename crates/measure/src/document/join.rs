//! Document of a join; pure.

use logtrace_report::document::{Document, Join, Server};

use crate::document::caveats::join::caveats;
use crate::document::join_parts::Parts;

/// Returns the document of a join: load and latencies of the run; machine, commits and causes of the trace.
pub(crate) fn document(parts: &Parts<'_>, join: Join) -> Document {
    let Parts {
        run,
        trace,
        explained,
        ..
    } = parts;
    let mut document = Document {
        logtrace: env!("CARGO_PKG_VERSION").into(),
        host: trace.host.clone(),
        server: server(&run.server, &trace.server),
        join: Some(join),
        tracing: trace.tracing.clone(),
        tracer: trace
            .tracer
            .as_ref()
            .map(|tracer| tracer.explained_again(&explained.breakdown, explained.undecodable)),
        ..(*run).clone()
    };
    document.set_breakdown(&explained.breakdown, trace.traced_parts());
    if let (Some(holders), Some(before)) = (&mut document.holders, &trace.holders) {
        // The window is another one, and so are the ends of transactions from its start.
        holders.names = before.names;
        holders.sessions.clone_from(&before.sessions);
    }
    document.caveats = caveats(parts, &document);
    document
}

/// Returns the server on its machine, with the settings that the run read.
fn server(run: &Server, trace: &Server) -> Server {
    let mut settings = trace.settings.clone();
    settings.extend(run.settings.clone());
    Server {
        settings,
        ..trace.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{STARTED, explained, recording, trace_document, untraced_run};

    #[test]
    fn the_load_is_of_the_run_and_all_else_of_the_trace() {
        let mut run = untraced_run();
        run.server
            .settings
            .insert("sync_binlog".to_owned(), "0".to_owned());
        run.server.binary = None;
        let mut trace = trace_document();
        trace
            .server
            .settings
            .insert("log_bin".to_owned(), "ON".to_owned());
        let explained = explained(&recording());
        let parts = Parts {
            run: &run,
            trace: &trace,
            explained: &explained,
            missed_ns: 0,
        };
        let clocks = Join {
            trace_started: STARTED.to_owned(),
            offset: -5,
            drift_ppm: 0.5,
            error: 7,
            requests: 1_000,
            matched: 990,
        };
        let joined = document(&parts, clocks.clone());
        assert_eq!(joined.join, Some(clocks));
        assert_eq!((&joined.driver, &joined.workload), (&run.driver, &run.workload));
        assert_eq!(joined.trace, None);
        assert_eq!(joined.commits, trace.commits);
        assert_eq!((&joined.tracing, &joined.host), (&trace.tracing, &trace.host));
        assert_eq!(joined.server.binary, trace.server.binary);
        let settings = ["sync_binlog", "log_bin"].map(|name| joined.server.settings[name].as_str());
        assert_eq!(
            settings,
            ["0", "OFF"],
            "the run has read its settings with a login"
        );
        assert_eq!(joined.caveats, []);
        assert_eq!(joined.check(), Ok(()));
    }
}
