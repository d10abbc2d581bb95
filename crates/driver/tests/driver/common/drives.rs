//! Drives with settings that most tests share.

use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use logtrace_driver::{
    Arrivals, CancellationToken, DEFAULT_GRACE, Dataset, DriveConfig, DriveError, DriveOutputs, DriveResult,
    Keys, LoadConfig, Pace, Requests, Target, WorkloadInfo, drive, load,
};
use logtrace_events::Request;

use rustix::process::Signal;

use super::server::{Flavor, Server, signal};

pub(crate) const DATASET: Dataset = Dataset {
    tables: 2,
    rows: 1000,
    keys: Keys::Uniform,
    seed: 42,
};

pub(crate) fn uniform(rate_per_s: f64) -> Pace {
    Pace::Open {
        rate_per_s,
        arrivals: Arrivals::Uniform,
    }
}

/// A drive without warm-up.
pub(crate) fn config(target: Target, workload: &str, pace: Pace, duration: Duration) -> DriveConfig {
    DriveConfig {
        target,
        session: Vec::new(),
        globals: Vec::new(),
        requests: plain(workload),
        dataset: DATASET,
        connections: NonZeroUsize::new(8).unwrap(),
        pace,
        warmup: Duration::ZERO,
        duration,
        grace: DEFAULT_GRACE,
        spin: false,
        reconnect_for: Duration::ZERO,
        deadline: None,
    }
}

/// A workload without options.
pub(crate) fn plain(workload: &str) -> Requests {
    Requests::plain(WorkloadInfo::find(workload).unwrap())
}

pub(crate) fn load_dataset(target: &Target, dataset: Dataset) {
    let config = LoadConfig {
        target: target.clone(),
        requests: plain("update_key"),
        dataset,
        create_database: true,
        connections: NonZeroUsize::new(2).unwrap(),
        session: Vec::new(),
        globals: Vec::new(),
    };
    load(&config, &mut |_| {}).unwrap();
}

/// A server with the dataset loaded.
pub(crate) fn loaded(flavor: Flavor) -> Server {
    let server = Server::start(flavor, &[]);
    load_dataset(&server.target("logtrace"), DATASET);
    server
}

/// Drives, and returns each finished request too.
pub(crate) fn drive_and_observe(
    config: &DriveConfig,
    cancel: CancellationToken,
) -> Result<(DriveResult, Vec<Request>), DriveError> {
    drive_and_call(config, cancel, |_| ())
}

/// Drives, and calls a function with each finished request.
fn drive_and_call(
    config: &DriveConfig,
    cancel: CancellationToken,
    call: impl Fn(&Request) + Send + Sync + 'static,
) -> Result<(DriveResult, Vec<Request>), DriveError> {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&requests);
    let outputs = DriveOutputs {
        log: &mut io::sink(),
        watch: &mut (),
        observer: Some(Arc::new(move |request| {
            sink.lock().unwrap().push(*request);
            call(request);
        })),
        cancel,
    };
    let measured = drive(config, outputs)?;
    assert_adds_up(&measured);
    let requests = std::mem::take(&mut *requests.lock().unwrap());
    Ok((measured, requests))
}

/// Drives, and does something this long after the first request was done: never before the load has begun. It is done in
/// the calling thread, with which a server ends that it starts.
pub(crate) fn drive_disturbed<T>(
    config: &DriveConfig,
    cancel: CancellationToken,
    after: Duration,
    disturb: impl FnOnce() -> T,
) -> (DriveResult, Vec<Request>, T) {
    let (begun, wait) = mpsc::sync_channel(1);
    let tell = move |_: &Request| {
        let _ = begun.try_send(());
    };
    thread::scope(|scope| {
        let driving = scope.spawn(|| drive_and_call(config, cancel, tell).unwrap());
        assert!(wait.recv().is_ok(), "no request was done");
        thread::sleep(after);
        let happened = disturb();
        let (measured, requests) = driving.join().unwrap();
        (measured, requests, happened)
    })
}

/// Drives, and kills the server a second after the load has begun.
pub(crate) fn drive_and_kill(config: &DriveConfig, server: &Server) -> DriveResult {
    let pid = server.pid();
    let second = Duration::from_secs(1);
    let (measured, _, ()) = drive_disturbed(config, CancellationToken::new(), second, || {
        signal(pid, Signal::KILL);
    });
    measured
}

pub(crate) fn drive_to_end(config: &DriveConfig) -> DriveResult {
    let (measured, _) = drive_and_observe(config, CancellationToken::new()).unwrap();
    measured
}

/// Every request is in exactly one place.
pub(crate) fn assert_adds_up(measured: &DriveResult) {
    let failed: u64 = measured.errors.values().sum();
    assert_eq!(
        measured.requests,
        measured.done + failed + measured.unsent + measured.unfinished,
        "{measured:?}"
    );
    assert_eq!(measured.per_second.iter().sum::<u64>(), measured.done);
    for histogram in [&measured.lag, &measured.service, &measured.response] {
        assert_eq!(histogram.len(), measured.done);
    }
}
