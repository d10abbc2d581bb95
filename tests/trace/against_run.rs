//! A trace of sysbench's load says what a run with the same load says.

use logtrace_events::{FileClass, IoOp};
use logtrace_report::document::{CauseRow, Document};
use logtrace_server::Flavor;

use crate::common::foreign::Foreign;
use crate::common::{Running, alone, run, share};
use crate::sysbench::{SIZE, updates, with_tables};

const RATE_PER_S: u32 = 300;
const SECONDS: u32 = 4;

#[test]
fn a_trace_of_sysbench_charges_what_a_run_charges() {
    let _alone = alone();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let traced = traced(flavor);
        let (tables, rows) = SIZE;
        let ran = run(&format!(
            "--server {} --rate {RATE_PER_S}/s --duration {SECONDS}s --warmup 500ms --tables {tables} --rows {rows}",
            flavor.as_str()
        ));
        assert_alike(&traced, &ran.good(), flavor);
    }
}

fn traced(flavor: Flavor) -> Document {
    let foreign = Foreign::start(flavor);
    with_tables(&foreign);
    let tracing = Running::start(&format!("trace --pid {}", foreign.pid()));
    foreign.wait_until_traced();
    updates(&foreign.socket(), RATE_PER_S * SECONDS, Some(RATE_PER_S));
    tracing.interrupt();
    tracing.ended().document()
}

/// Loosely: the machine is not the same from one second to the next.
fn assert_alike(traced: &Document, ran: &Document, flavor: Flavor) {
    let shares = |document: &Document| {
        let fsync = |class| share(document, move |cause| is_fsync(cause, class));
        [
            fsync(FileClass::Binlog),
            fsync(FileClass::Redo),
            share(document, |cause| cause.file.is_none()),
        ]
    };
    let (of_trace, of_run) = (shares(traced), shares(ran));
    for (traced, ran) in of_trace.into_iter().zip(of_run) {
        let ratio = traced / ran;
        assert!(
            (0.33..3.0).contains(&ratio),
            "{flavor}: {of_trace:?} of a trace, {of_run:?} of a run"
        );
    }
    let syncs = |[binlog, redo, _]: [f64; 3]| binlog + redo;
    assert!(
        (syncs(of_trace) - syncs(of_run)).abs() < 0.25,
        "{flavor}: {of_trace:?} of a trace, {of_run:?} of a run"
    );
}

fn is_fsync(cause: &CauseRow, class: FileClass) -> bool {
    cause.file == Some(class) && cause.op == Some(IoOp::Fsync)
}
