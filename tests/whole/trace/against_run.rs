//! A trace of sysbench's load says what a run with the same load says.

use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_report::document::Document;
use logtrace_testkit::one_or_all;

use crate::common::sysbench::{SIZE, prepare, updates};
use crate::common::{Running, alone, run, share};
use logtrace_laboratory::foreign::Foreign;

const RATE_PER_S: u32 = 300;
const SECONDS: u32 = 4;

#[test]
fn a_trace_of_sysbench_charges_what_a_run_charges() {
    let _alone = alone();
    for &flavor in one_or_all(&[Flavor::MariaDb, Flavor::MySql]) {
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
    prepare(&foreign);
    let tracing = Running::start(&format!("trace --pid {}", foreign.pid()));
    foreign.wait_until_traced();
    updates(&foreign, RATE_PER_S * SECONDS, Some(RATE_PER_S));
    tracing.interrupt();
    tracing.ended().document()
}

/// Loosely: the machine is not the same from one second to the next, and what a fsync is made of with it.
fn assert_alike(traced: &Document, ran: &Document, flavor: Flavor) {
    let binlog_fsync = |document: &_| share_of(document, FileClass::Binlog, &[IoOp::Fsync]);
    let redo_fsync = |document: &_| share_of(document, FileClass::Redo, &[IoOp::Fsync]);
    let all = [IoOp::Write, IoOp::Fsync];
    let logs = |document: &_| {
        share_of(document, FileClass::Binlog, &all) + share_of(document, FileClass::Redo, &all)
    };
    let near = |of: &str, share: &dyn Fn(&Document) -> f64, factor: f64| {
        let (traced, ran) = (share(traced), share(ran));
        let ratio = traced / ran;
        assert!(
            (1.0 / factor..factor).contains(&ratio),
            "{flavor}: {of} has {traced} of the trace, {ran} of the run"
        );
    };
    near("both logs", &logs, 2.0);
    near("the binary log's fsync", &binlog_fsync, 5.0);
    near("the redo log's fsync", &redo_fsync, 5.0);
    for document in [traced, ran] {
        assert!(logs(document) > 0.4, "{flavor}: {:?}", document.causes);
        let binlog_write = share_of(document, FileClass::Binlog, &[IoOp::Write]);
        assert!(
            binlog_fsync(document) > binlog_write,
            "{flavor}: {:?}",
            document.causes
        );
    }
}

fn share_of(document: &Document, class: FileClass, ops: &[IoOp]) -> f64 {
    share(document, |cause| {
        cause
            .cause
            .io
            .is_some_and(|(file, op)| file == class && ops.contains(&op))
    })
}
