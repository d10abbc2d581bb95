//! A recording, explained again.

use std::fs::File;
use std::io::BufReader;

use logtrace_common::Flavor;
use logtrace_events::RecordingReader;
use logtrace_report::recorded::{RecordedWindow, explain_recording};

use crate::common::{Running, beside_others, sysbench};
use logtrace_laboratory::foreign::Foreign;

#[test]
fn a_recording_explained_again_has_the_causes_of_the_live_trace() {
    let _turn = beside_others();
    for (flavor, detail) in [(Flavor::MySql, "full"), (Flavor::MariaDb, "io")] {
        let foreign = Foreign::start(flavor);
        sysbench::prepare(&foreign);
        let tracing = Running::start(&format!(
            "trace --record --detail {detail} --pid {}",
            foreign.pid()
        ));
        foreign.wait_until_traced();
        sysbench::updates(&foreign, 400, Some(300));
        tracing.interrupt();
        let trace = tracing.ended();
        assert!(matches!(trace.code(), Some(0 | 3)), "{}", trace.stderr());
        let live = trace.document();
        let recording = BufReader::new(File::open(trace.file("records.bin")).unwrap());
        let recording = RecordingReader::new(recording).unwrap();
        let again = explain_recording(recording, RecordedWindow::Measured, &[]).unwrap();
        let breakdown = again.breakdown;
        assert!(breakdown.commits.count > 50);
        assert_eq!(Some(&breakdown.commits), live.commits.as_ref());
        assert_eq!(breakdown.causes, live.causes);
        assert_eq!(Some(&breakdown.files), live.files.as_ref());
        assert_eq!(breakdown.statements, live.statements);
        assert_eq!(breakdown.unclassified, live.unclassified);
        let tracer = live.tracer.as_ref().unwrap();
        assert_eq!(again.undecodable, tracer.undecodable);
        assert_eq!(breakdown.invariant_violations, tracer.invariant_violations);
    }
}
