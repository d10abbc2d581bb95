//! The fsyncs of each kind of file, counted and timed by bpftrace at the same time.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_report::document::Document;

use super::bpftrace::{Bpftrace, Calls};
use super::traced::traced;
use crate::common::alone;
use crate::common::sysbench::{prepare, updates};
use logtrace_laboratory::foreign::Foreign;

const EVENTS: u32 = 1_200;
const RATE_PER_S: u32 = 300;

/// Fsyncs of the server's background threads that one of both sees before the other is attached or after it left.
const EDGES: u64 = 12;

/// An error, if the server still writes.
const LONGEST: Duration = Duration::from_secs(60);

/// Times may differ by this: each tracer's programs run inside the other's interval.
const TOLERANCE: f64 = 0.05;

#[test]
fn mysqls_fsyncs_are_those_that_bpftrace_sees() {
    agrees(Flavor::MySql);
}

#[test]
#[ignore = "long: the fsyncs again, on the other server"]
fn mariadbs_fsyncs_are_those_that_bpftrace_sees() {
    agrees(Flavor::MariaDb);
}

fn agrees(flavor: Flavor) {
    let _alone = alone();
    let foreign = Foreign::start(flavor);
    prepare(&foreign);
    wait_until_idle(&foreign);
    let (document, seen) = traced(&foreign, || {
        let bpftrace = Bpftrace::fsyncs_of(foreign.pid());
        updates(&foreign, EVENTS, Some(RATE_PER_S));
        bpftrace.ended()
    });
    for class in [FileClass::Redo, FileClass::Binlog] {
        let (ours, theirs) = (of_document(&document, class), of_bpftrace(&seen.calls, class));
        let told = format!("{flavor} {class}: logtrace {ours:?}, bpftrace {theirs:?}");
        assert!(theirs.count >= u64::from(EVENTS) / 16, "hardly anything: {told}");
        assert!(ours.count.abs_diff(theirs.count) <= EDGES, "{told}");
        let ratio = ours.total as f64 / theirs.total as f64;
        assert!((ratio - 1.0).abs() <= TOLERANCE, "{told}: {ratio}");
    }
}

/// The checkpoint after `prepare` is over: an fsync of it at the edge may take as long as hundreds of the load's.
fn wait_until_idle(foreign: &Foreign) {
    let fsyncs = || {
        foreign
            .ask::<(String, u64)>("SHOW GLOBAL STATUS LIKE 'Innodb_data_fsyncs'")
            .1
    };
    let started = Instant::now();
    let mut before = None;
    while before != Some(fsyncs()) {
        assert!(started.elapsed() < LONGEST, "the server does not come to rest");
        before = Some(fsyncs());
        thread::sleep(Duration::from_secs(1));
    }
}

fn of_document(document: &Document, class: FileClass) -> Calls {
    let files = document.files().iter();
    sum(files
        .filter(|file| file.class == class && file.op == IoOp::Fsync)
        .map(|file| Calls {
            count: file.count,
            total: file.total,
        }))
}

fn of_bpftrace(seen: &BTreeMap<String, Calls>, class: FileClass) -> Calls {
    let of_class = |name: &str| match class {
        FileClass::Redo => name.starts_with("#ib_redo") || name.starts_with("ib_logfile"),
        FileClass::Binlog => name.starts_with("binlog."),
        _ => false,
    };
    sum(seen
        .iter()
        .filter(|(name, _)| of_class(name))
        .map(|(_, &calls)| calls))
}

fn sum(calls: impl Iterator<Item = Calls>) -> Calls {
    calls.fold(Calls::default(), |sum, calls| Calls {
        count: sum.count + calls.count,
        total: sum.total + calls.total,
    })
}
