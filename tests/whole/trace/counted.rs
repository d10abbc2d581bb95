//! Every commit of the load is counted once and explained, however the server is named.

use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_report::document::{CauseRow, CaveatKind, Document};

use crate::common::sysbench::{prepare, updates};
use crate::common::{Ran, Running, beside_others, caveats, share, total};
use logtrace_laboratory::foreign::Foreign;

/// Enough for a few seconds.
const EVENTS: u32 = 450;
const RATE_PER_S: u32 = 300;

#[test]
fn each_way_to_name_mysql_sees_every_commit() {
    sees_every_commit(Flavor::MySql);
}

#[test]
fn each_way_to_name_mariadb_sees_every_commit() {
    sees_every_commit(Flavor::MariaDb);
}

fn sees_every_commit(flavor: Flavor) {
    let _turn = beside_others();
    let foreign = Foreign::start(flavor);
    prepare(&foreign);
    let ways = [
        format!("--pid {}", foreign.pid()),
        format!("--socket {} --duration 1h", foreign.socket().display()),
        format!("{} --record", foreign.address("root")),
    ];
    for way in ways {
        let tracing = Running::start(&format!("trace {way}"));
        foreign.wait_until_traced();
        let events = updates(&foreign, EVENTS, Some(RATE_PER_S));
        tracing.interrupt();
        let ran = tracing.ended();
        assert_eq!(ran.code(), Some(0), "{way}: {}{}", ran.stderr(), ran.stdout());
        assert_sound(&ran, &foreign, events);
        assert_eq!(ran.file("records.bin").exists(), way.contains("--record"));
        assert_eq!(foreign.changed_code_bytes(), 0, "{way}: probes are left");
        assert_eq!(foreign.ask::<u32>("SELECT 1"), 1, "{way}: the server lives");
    }
}

fn assert_sound(ran: &Ran, foreign: &Foreign, events: u64) {
    let document = ran.document();
    let commits = document.commits.as_ref().unwrap();
    let tracer = document.tracer.as_ref().unwrap();
    // sysbench's commits, but for some that come before the window, and few of the server's own.
    assert!(
        (events - events / 100..=events + 10).contains(&commits.count),
        "{} commits, {events} events",
        commits.count
    );
    assert_eq!(
        (tracer.lost, tracer.undecodable, tracer.invariant_violations),
        (0, 0, 0)
    );
    assert_eq!(total(&document, |_| true), commits.total);
    assert!(
        document.unexplained * 100 <= commits.total,
        "{} of {}",
        document.unexplained,
        commits.total
    );
    for class in [FileClass::Binlog, FileClass::Redo] {
        assert!(share(&document, fsync_of(class)) > 0.01, "{:?}", document.causes);
    }
    assert!(document.driver.is_none() && document.workload.is_none());
    let trace = document.trace.as_ref().unwrap();
    assert_eq!(trace.pid, foreign.pid());
    assert!(
        trace.duration_s > f64::from(EVENTS) / f64::from(RATE_PER_S) * 0.9,
        "{}",
        trace.duration_s
    );
    assert_described(&document, foreign);
    assert_rendered(ran, &document);
}

fn fsync_of(class: FileClass) -> impl Fn(&CauseRow) -> bool {
    move |cause| cause.cause.io == Some((class, IoOp::Fsync))
}

/// What is told of the server is what it says itself.
fn assert_described(document: &Document, foreign: &Foreign) {
    let (version, sync_binlog): (String, String) =
        foreign.ask("SELECT @@version, CAST(@@sync_binlog AS CHAR)");
    let told = &document.server;
    assert!(version.starts_with(&told.version), "{version} {}", told.version);
    assert_eq!(told.settings["sync_binlog"], sync_binlog);
    assert_eq!(told.settings["log_bin"], "ON");
    assert!(!told.private);
    assert_ne!(told.file_system, "unknown");
    assert!(
        caveats(document)
            .iter()
            .all(|&kind| *kind == CaveatKind::Interrupted)
    );
}

/// The report is that of a trace, and renders again.
fn assert_rendered(ran: &Ran, document: &Document) {
    let dir = ran.dir.as_ref().unwrap();
    assert!(dir.to_str().unwrap().ends_with("-trace"), "{}", dir.display());
    assert!(!ran.file("latency.hlog").exists());
    for name in [
        "report.html",
        "flamegraph.svg",
        "commits.folded",
        "over-time.json",
        "server.json",
        "host.json",
    ] {
        assert!(ran.file(name).metadata().unwrap().len() > 0, "{name}");
    }
    for format in ["terminal", "json", "html", "markdown", "csv", "folded"] {
        let text = ran.report(format);
        assert!(!text.is_empty(), "{format}");
        if format == "terminal" {
            assert!(ran.stdout().starts_with(&text), "the same text again");
            assert!(
                text.starts_with("trace of M") && text.contains("commits/s"),
                "{text}"
            );
            assert!(
                text.contains(&format!("(pid {}, ", document.trace.as_ref().unwrap().pid)),
                "{text}"
            );
            for word in ["service", "response", "offered"] {
                assert!(!text.contains(word), "{word} in {text}");
            }
        }
    }
}
