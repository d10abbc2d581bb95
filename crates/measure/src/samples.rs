//! Small inputs for unit tests: facts, outcomes, recordings and run directories of an invented server, all without a caveat.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use logtrace_attribution::recorded::{Recorded, RecordedWindow, explain_recording};
use logtrace_common::{Detail, Flavor, Sampling, TimeRange};
use logtrace_driver::{
    Arrivals, Dataset, DriveResult, EndReason, Histogram, Keys, LagParts, Pace, Requests, RequestsOverTime,
    WorkloadInfo,
};
use logtrace_events::{
    Clocks, Entry, Outcome, Record, RecordingHeader, RecordingReader, RecordingWriter, Request,
    RequestsWriter, encoded,
};
use logtrace_report::document::Document;
use logtrace_server::{Home, ObservedChoice, ServerFacts, Storage};
use logtrace_testkit::synthetic;
use logtrace_tracer::{Account, ProbeAccount};

use crate::config::connections::Connections;
use crate::config::cpu_placement::CpuPlacement;
use crate::config::run_config::{Pacing, RunConfig};
use crate::config::trace_config::TraceConfig;
use crate::directory::run_dir::{RECORDS, REQUESTS, RunDir};
use crate::document;
use crate::measurement::explainer::Explained;
use crate::measurement::{NamedThreads, ServerSnapshot, Traced, TracingConfig};
use crate::outcome::consistency_checks::ConsistencyChecks;
use crate::outcome::run_outcome::RunOutcome;
use crate::outcome::trace_outcome::{Ended, TraceOutcome};
use crate::outputs::Outputs;

pub(crate) const STARTED: &str = "2026-01-01T12:00:00+01:00";

pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// Server's clock minus the client's clock.
pub(crate) const OFFSET_NS: u64 = 500_000_000;

/// System call of a thread that waits for its client, by the invented server's records.
const RECVFROM: u16 = 45;

/// Returns the records of 50 groups of 4 commits.
pub(crate) fn records() -> Vec<Record> {
    synthetic::group_commits(4, 50)
}

/// Returns a recording of these commits, all in the measured window.
pub(crate) fn recording() -> Vec<u8> {
    recording_in(TimeRange::new(0, u64::MAX >> 1))
}

/// Returns a recording of these commits with another window.
pub(crate) fn recording_in(window: TimeRange) -> Vec<u8> {
    let header = RecordingHeader {
        server_tgid: synthetic::SERVER_TGID,
        logs: synthetic::logs(),
        ack_receiver: None,
        cluster_receiver: None,
        statements: false,
        clocks: Clocks::default(),
    };
    let mut bytes = Vec::new();
    let mut writer = RecordingWriter::new(&mut bytes, &header).unwrap();
    writer.write(Entry::Window(window)).unwrap();
    for record in records() {
        writer.write(Entry::Record(&encoded(&record))).unwrap();
    }
    bytes
}

/// Returns the explanation of a recording, without the requests of a load.
pub(crate) fn explained(recording: &[u8]) -> Recorded {
    let reader = RecordingReader::new(recording).unwrap();
    explain_recording(reader, RecordedWindow::Measured, &[]).unwrap()
}

/// Returns a MySQL server on this machine, with logs whose names are known.
pub(crate) fn server() -> ServerFacts {
    let variables = [
        ("log_bin", "OFF"),
        ("slow_query_log_file", "slow.log"),
        ("general_log_file", "general.log"),
        ("sync_binlog", "1"),
        ("port", "3306"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    ServerFacts {
        flavor: Flavor::MySql,
        version: "9.7.4".to_owned(),
        pid: Some(synthetic::SERVER_TGID),
        process: None,
        binary: Some(PathBuf::from("/usr/sbin/mysqld")),
        variables: BTreeMap::from(variables),
        private: true,
    }
}

/// Returns the facts of that server, without a trace.
pub(crate) fn snapshot() -> ServerSnapshot {
    ServerSnapshot {
        server: server(),
        connection: None,
        data: None,
        control_group: None,
        host: None,
        status: BTreeMap::new(),
        cpu: None,
        traced: None,
        named: NamedThreads::default(),
    }
}

/// Returns the trace of the recording's commits, with all of its probes attached.
pub(crate) fn traced() -> Traced {
    let mut account = Account::default();
    account.events = records().len() as u64;
    account.probes = vec![
        probe("commits", "on_commit_start"),
        probe("groups", "on_group_join"),
    ];
    Traced {
        explained: Explained {
            breakdown: explained(&recording()).breakdown,
            undecodable: 0,
            recording_failed: None,
        },
        account,
        ring_bytes: "1M".parse().unwrap(),
        sampling: Sampling::ALL,
        detail: Detail::Io,
        is_recorded: false,
        open_commits: 0,
        detaching: None,
    }
}

pub(crate) fn probe(name: &'static str, program: &'static str) -> ProbeAccount {
    let mut probe = ProbeAccount::default();
    (probe.name, probe.program) = (name, program);
    probe
}

/// Returns a histogram of so many times of one length.
pub(crate) fn times(length_ns: u64, count: u64) -> Histogram<u64> {
    let mut times = Histogram::new(3).unwrap();
    times.record_n(length_ns, count).unwrap();
    times
}

/// Returns 1,000 requests of a second, all of them done in a millisecond each.
pub(crate) fn measured() -> DriveResult {
    let served = || times(1_000_000, 1_000);
    let nothing = || times(0, 0);
    let mut over_time = RequestsOverTime::new(SECOND_NS);
    for number in 0..1_000 {
        let done_ns = SECOND_NS + number * 1_000_000;
        over_time.lag.add(done_ns, 0);
        over_time.service.add(done_ns, 1_000_000);
        over_time.response.add(done_ns, 1_000_000);
    }
    DriveResult {
        window: TimeRange::new(SECOND_NS, 2 * SECOND_NS),
        offered_per_s: Some(1_000.0),
        achieved_per_s: 1_000.0,
        requests: 1_000,
        from_warmup: 0,
        done: 1_000,
        errors: BTreeMap::new(),
        failures: BTreeMap::new(),
        retries: BTreeMap::new(),
        late: 0,
        queued: 0,
        unsent: 0,
        unfinished: 0,
        backlog_max: 0,
        backlog_end: 0,
        lag: nothing(),
        service: served(),
        lag_parts: LagParts::default(),
        response: served(),
        response_with_failed: served(),
        steps: Vec::new(),
        retrying: nothing(),
        per_second: vec![1_000],
        per_tenth: vec![100; 10],
        over_time,
        kinds: Vec::new(),
        orders_grown: None,
        outages: Vec::new(),
        ended: EndReason::Completed,
        client_cpu_ns: 1,
    }
}

const TRACING: TracingConfig = TracingConfig {
    detail: Detail::Io,
    sampling: Sampling::ALL,
    record: false,
    ring_bytes: None,
};

/// Returns the configuration of a traced run of a built-in workload on a private server.
pub(crate) fn run_config(workload: &str) -> RunConfig {
    RunConfig {
        requests: Requests::plain(WorkloadInfo::find(workload).unwrap()),
        check: false,
        dataset: Dataset {
            tables: 2,
            rows: 1_000,
            keys: Keys::Uniform,
            seed: 1,
        },
        connections: Connections::Fixed(NonZeroUsize::MIN),
        pacing: Pacing::Known(Pace::Open {
            rate_per_s: 1_000.0,
            arrivals: Arrivals::Poisson,
        }),
        warmup: Duration::from_secs(1),
        duration: Duration::from_secs(1),
        spin: false,
        deadline: None,
        reconnect_for: Duration::ZERO,
        server: None,
        settings: Vec::new(),
        session: Vec::new(),
        keep_tables: false,
        storage: Storage::default(),
        cpus: CpuPlacement::default(),
        trace: true,
        is_remote: false,
        tracing: TRACING,
        report_every_s: None,
        out: PathBuf::new(),
        home: Home::default(),
    }
}

/// Returns the outcome of such a run.
pub(crate) fn run_outcome() -> RunOutcome {
    RunOutcome {
        snapshot: ServerSnapshot {
            traced: Some(traced()),
            ..snapshot()
        },
        tables_reused: false,
        connections: NonZeroUsize::MIN,
        capacity: None,
        measured: Some(measured()),
        checked: ConsistencyChecks::default(),
        disk_full: false,
        not_saved: Vec::new(),
        teardown_error: None,
    }
}

/// Returns the configuration of a trace.
pub(crate) fn trace_config(duration: Option<Duration>) -> TraceConfig {
    TraceConfig {
        server: ObservedChoice::Process(synthetic::SERVER_TGID),
        duration,
        tracing: TRACING,
        report_every_s: None,
        out: PathBuf::new(),
    }
}

/// Returns the outcome of a trace.
pub(crate) fn trace_outcome() -> TraceOutcome {
    TraceOutcome {
        pid: synthetic::SERVER_TGID,
        snapshot: ServerSnapshot {
            traced: Some(traced()),
            ..snapshot()
        },
        duration: Duration::from_secs(1),
        ended: Ended::Completed,
    }
}

/// Returns the document of a run that was not traced.
pub(crate) fn untraced_run() -> Document {
    let mut outcome = run_outcome();
    outcome.snapshot.traced = None;
    document::run::document(&run_config("update_key"), STARTED, &outcome)
}

/// Returns the document of a traced run.
pub(crate) fn traced_run() -> Document {
    document::run::document(&run_config("update_key"), STARTED, &run_outcome())
}

/// Returns the document of a trace.
pub(crate) fn trace_document() -> Document {
    document::trace::document(STARTED, &trace_outcome())
}

/// Returns a request for each commit of the recording, by the client's clock: sent just before the server's thread woke up,
/// and answered just after the commit.
pub(crate) fn requests() -> Vec<Request> {
    let mut woken_ns = BTreeMap::new();
    let mut requests = Vec::new();
    for record in records() {
        match record {
            Record::OffCpu(off) if off.syscall == Some(RECVFROM) => {
                woken_ns.insert(off.tid, off.in_ns);
            }
            Record::Commit(commit) => {
                let sent_ns = woken_ns[&commit.tid] - 3_000 - OFFSET_NS;
                requests.push(Request {
                    due_ns: sent_ns,
                    connection_wait_ns: 0,
                    sent_ns,
                    attempt_ns: sent_ns,
                    done_ns: commit.end_ns + 1_000 - OFFSET_NS,
                    outcome: Outcome::Done,
                    retries: 0,
                    thread: Some(commit.tid),
                });
            }
            _ => {}
        }
    }
    requests
}

/// Returns the window of these requests, by the client's clock.
pub(crate) fn window() -> TimeRange {
    let requests = requests();
    let first = requests.iter().map(|request| request.due_ns).min().unwrap();
    let last = requests.iter().map(|request| request.done_ns).max().unwrap();
    TimeRange::new(first, last + 1)
}

/// Makes a run directory with `run.json`, `server.json` and `host.json`.
pub(crate) fn directory(path: &Path, document: &Document) -> RunDir {
    let dir = RunDir::replace(path).unwrap();
    let outputs = Outputs {
        dir: &dir,
        started: STARTED,
    };
    outputs.unfinished(&snapshot(), document.clone()).unwrap();
    outputs.document(document).unwrap();
    dir
}

/// Writes `requests.bin`.
pub(crate) fn save_requests(dir: &RunDir, requests: &[Request], window: TimeRange) {
    let clocks = Clocks {
        monotonic_ns: 0,
        realtime_ns: OFFSET_NS,
    };
    let mut writer = RequestsWriter::new(dir.create_file(REQUESTS).unwrap(), clocks).unwrap();
    for request in requests {
        writer.write(request).unwrap();
    }
    writer.finish(window).unwrap();
}

/// Writes `records.bin`.
pub(crate) fn save_records(dir: &RunDir, recording: &[u8]) {
    dir.create_file(RECORDS).unwrap().write_all(recording).unwrap();
}
