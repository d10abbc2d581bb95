//! A server in a container, and logtrace on the host.

use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_laboratory::probes_in_code::wait_until_traced;
use logtrace_report::document::{CauseRow, CaveatKind, Document};
use logtrace_server::FileSystemFacts;
use logtrace_testkit::one_or_all;

use super::container::{Container, Network};
use crate::common::sound::assert_sound;
use crate::common::sysbench::updates_at;
use crate::common::{Running, beside_others, caveats, run, share, total};

/// Events of a trace, enough for a few seconds.
const EVENTS: u32 = 450;
const RATE_PER_S: u32 = 300;

const LOAD: &str = "--tables 1 --rows 500 --warmup 300ms --duration 3s --rate 200/s --connections 8";

#[test]
fn a_server_in_a_container_is_traced_exactly() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let container = Container::start(flavor, Network::Own);
        let tracing = Running::start(&format!("trace --pid {}", container.pid));
        wait_until_traced(container.pid);
        let events = updates_at(&container.socket, EVENTS, Some(RATE_PER_S));
        tracing.interrupt();
        let ran = tracing.ended();
        assert_eq!(ran.code(), Some(0), "{}{}", ran.stderr(), ran.stdout());
        let document = ran.document();
        assert_exact(&document, events);
        assert_eq!(caveats(&document), Vec::<&CaveatKind>::new());
        let below = FileSystemFacts::of(container.base()).unwrap();
        let disks = document.host.as_ref().unwrap().disks.iter();
        let disks: Vec<&str> = disks.map(|disk| disk.name.as_str()).collect();
        assert_eq!(document.server.file_system, "overlay");
        assert_eq!(document.server.device, below.source.unwrap());
        assert_eq!(disks, [below.device.unwrap().disk]);
        assert_files_named(&document);
        let told = document.server.container.as_ref().unwrap();
        assert_eq!((told.runtime.as_str(), &told.id), ("docker", &container.id));
        let line = format!(
            "(pid {} in docker container {}, overlay ",
            container.pid,
            &container.id[..12]
        );
        assert!(ran.stdout().contains(&line), "{}", ran.stdout());
    }
}

/// Every commit is counted once, and explained.
fn assert_exact(document: &Document, events: u64) {
    let commits = document.commits.as_ref().unwrap();
    let tracer = document.tracer.as_ref().unwrap();
    // sysbench's commits, and few of the server's own.
    assert!(
        (events..=events + 10).contains(&commits.count),
        "{} commits, {events} events",
        commits.count
    );
    assert_eq!(
        (tracer.lost, tracer.undecodable, tracer.invariant_violations),
        (0, 0, 0)
    );
    let missing: Vec<_> = tracer.probes.iter().filter(|probe| !probe.attached).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(total(document, |_| true), commits.total);
    assert!(
        document.unexplained * 100 <= commits.total,
        "{} of {}",
        document.unexplained,
        commits.total
    );
}

/// Both logs are named and classed, and their flushes are told by the file system below.
fn assert_files_named(document: &Document) {
    let fsync_of = |class| move |cause: &CauseRow| cause.cause.io == Some((class, IoOp::Fsync));
    for class in [FileClass::Binlog, FileClass::Redo] {
        assert!(share(document, fsync_of(class)) > 0.0, "{:?}", document.causes);
        let mut files = document.files().iter();
        let file = files.find(|file| file.class == class && file.op == IoOp::Fsync);
        let file = file.unwrap_or_else(|| panic!("no {class} in {:?}", document.files));
        println!("{class}: {}", file.path);
        assert!(file.flush_waits + file.journal_waits > 0, "{file:?}");
    }
    let unclassified: u64 = document.unclassified.iter().map(|stack| stack.total_ns).sum();
    let commits = document.commits.as_ref().unwrap();
    assert!(unclassified * 100 <= commits.total, "{:?}", document.unclassified);
}

#[test]
fn a_run_on_a_server_in_a_container_is_joined_with_its_threads() {
    let _turn = beside_others();
    for &flavor in one_or_all(&[Flavor::MySql, Flavor::MariaDb]) {
        let container = Container::start(flavor, Network::Own);
        let socket = container.socket.display();
        let ran = run(&format!(
            "--server mysql://bench@localhost/?socket={socket} {LOAD}"
        ));
        assert_measured(&ran.good());
    }
}

#[test]
fn a_server_in_a_container_with_the_hosts_network_is_found_by_its_port() {
    let _turn = beside_others();
    for &flavor in one_or_all(&[Flavor::MariaDb, Flavor::MySql]) {
        let container = Container::start(flavor, Network::Hosts);
        let port = container.port;
        let ran = run(&format!("--server mysql://bench@127.0.0.1:{port}/ {LOAD}"));
        assert_measured(&ran.good());
    }
}

fn assert_measured(document: &Document) {
    assert_sound(document);
    assert_files_named(document);
    assert_eq!(document.server.file_system, "overlay");
}
