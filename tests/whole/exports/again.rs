//! A recording, explained again.

use std::fs;
use std::process::Output;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::{CaveatKind, Document};
use logtrace_report::parse_json;

use rustix::process::Signal;

use crate::common::{Ran, Running, SERVERS, beside_others, logtrace, patiently, run, send, sysbench};

/// Formats that the results of a run have.
const FORMATS: [&str; 10] = [
    "json",
    "html",
    "terminal",
    "markdown",
    "csv",
    "folded",
    "folded-response",
    "folded-statement",
    "speedscope",
    "pprof",
];

fn reported(ran: &Ran, format: &str, is_again: bool) -> Output {
    let mut command = logtrace();
    command
        .arg("report")
        .arg(ran.file(""))
        .args(["--format", format, "--out", "-"]);
    if is_again {
        command.arg("--explain-again");
    }
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Fails unless a recording that is explained again gives the reports of the live trace.
fn check(ran: &Ran, formats: &[&str]) {
    let live: Vec<Output> = formats
        .iter()
        .map(|format| reported(ran, format, false))
        .collect();
    // What the live trace found is not read: only what the client saw is taken from over-time.json.
    for name in ["commits.folded", "response.folded", "statements.folded"] {
        let _ = fs::remove_file(ran.file(name));
    }
    for (format, live) in formats.iter().zip(live) {
        let again = reported(ran, format, true);
        assert!(again.status.success(), "{format}: {}", said(&again));
        assert_eq!(live.status.code(), Some(0), "{format}: {}", said(&live));
        let texts = [&live, &again].map(|output| String::from_utf8_lossy(&output.stdout));
        let mut lines = texts[0].lines().zip(texts[1].lines());
        let differing = lines.find(|(live, again)| live != again);
        let differing =
            differing.map(|lines| <[&str; 2]>::from(lines).map(|line| line.get(..300).unwrap_or(line)));
        assert!(live.stdout == again.stdout, "{format}: {differing:?}");
    }
}

fn again(ran: &Ran) -> Document {
    let output = reported(ran, "json", true);
    parse_json(&String::from_utf8(output.stdout).unwrap()).unwrap()
}

#[test]
fn a_run_explained_again_gives_the_same_report_in_every_format() {
    let _turn = beside_others();
    for server in SERVERS {
        let ran = run(&format!(
            "--server {server} --workload write_only --rate 100..300/s:100 --duration 3s --warmup 500ms --rows 2000 \
             --connections 8 --detail full --record"
        ));
        let document = ran.document();
        let parts = [
            document
                .commits
                .as_ref()
                .is_some_and(|commits| commits.count > 300),
            document
                .response
                .as_ref()
                .is_some_and(|response| response.requests > 300),
            document.statements.is_some(),
            document.groups.as_ref().is_some_and(|groups| groups.count > 0),
            document.devices.is_some(),
            !document.files().is_empty(),
            document
                .driver
                .as_ref()
                .is_some_and(|driver| driver.steps.len() == 3),
        ];
        assert_eq!(parts, [true; 7], "{server}: {}", ran.stderr());
        check(&ran, &FORMATS);
    }
}

#[test]
fn a_trace_in_bursts_explained_again_gives_the_same_report() {
    let _turn = beside_others();
    for (flavor, detail) in [(Flavor::MySql, "full"), (Flavor::MariaDb, "io")] {
        let foreign = Foreign::start(flavor);
        sysbench::prepare(&foreign);
        let tracing = Running::start(&format!(
            "trace --record --detail {detail} --sample 50%:1s --pid {}",
            foreign.pid()
        ));
        // Probes come and go with the bursts, so the recording says that they came. It has its header before.
        let length = || Some(tracing.dir()?.join("records.bin").metadata().ok()?.len());
        patiently("a recording", || length().is_some_and(|bytes| bytes > 0));
        let header = length().unwrap();
        patiently("records", || length().is_some_and(|bytes| bytes > header));
        sysbench::updates(&foreign, 600, Some(200));
        tracing.interrupt();
        let trace = tracing.ended();
        assert!(matches!(trace.code(), Some(0 | 3)), "{}", trace.stderr());
        let document = trace.document();
        assert!(
            document
                .commits
                .as_ref()
                .is_some_and(|commits| commits.count > 50)
        );
        assert!(document.gaps().is_some_and(|gaps| gaps.count > 0));
        check(&trace, &["json", "html", "folded"]);
    }
}

#[test]
fn a_killed_run_has_the_commits_until_then() {
    let _turn = beside_others();
    let running = Running::start(
        "run --server mariadb --rate 300/s --duration 60s --warmup 200ms --rows 1000 --record --report-interval 1s",
    );
    let size = || {
        let path = running.dir()?.join("records.bin");
        Some(fs::metadata(path).ok()?.len())
    };
    // The buffer of the file is a small part of this.
    patiently("a recording", || size().is_some_and(|bytes| bytes > 300_000));
    send(running.pid(), Signal::KILL);
    let ran = running.ended();
    assert!(ran.document().commits.is_none());
    let document = again(&ran);
    assert!(
        document
            .commits
            .as_ref()
            .is_some_and(|commits| commits.count > 50)
    );
    assert!(
        document
            .caveats
            .iter()
            .any(|caveat| caveat.kind == CaveatKind::UnfinishedRun)
    );
    // Statements are not explained at this level of detail.
    for format in FORMATS.iter().filter(|&&format| format != "folded-statement") {
        let output = reported(&ran, format, true);
        assert!(output.status.success(), "{format}: {}", said(&output));
    }
}
