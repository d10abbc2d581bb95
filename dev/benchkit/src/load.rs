//! Steady load that goes on while the tracer is attached and detached.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use logtrace_driver::{
    CancellationToken, Dataset, DriveConfig, DriveError, DriveOutputs, DriveResult, Keys, LoadConfig, Pace,
    Requests, Target, WorkloadInfo, drive, load,
};

use crate::server::SharedServer;
use crate::window::{CpuTime, RequestsAndCpu};

/// Requests of update_key at a rate, or as fast as the server takes them, like `logtrace run --workload update_key --max`.
#[derive(Debug)]
pub struct SteadyLoad {
    server: u32,
    done: Arc<AtomicU64>,
    cancel: CancellationToken,
    thread: JoinHandle<Result<DriveResult, DriveError>>,
}

/// Number of connections, the default of `logtrace run`.
pub const CONNECTIONS: NonZeroUsize = NonZeroUsize::new(8).expect("eight connections");

const DATASET: Dataset = Dataset {
    tables: 4,
    rows: 5_000,
    keys: Keys::Uniform,
    seed: 1,
};

/// Longest time that a load runs.
const LONGEST: Duration = Duration::from_hours(24);

impl SteadyLoad {
    /// Makes the tables, and returns when the load is under way.
    pub fn start(server: &SharedServer, connections: NonZeroUsize, pace: Pace) -> anyhow::Result<Self> {
        let target = Target::new(server.connection(), "logtrace_overhead");
        let requests = Requests::plain(WorkloadInfo::find("update_key")?);
        let tables = LoadConfig {
            target: target.clone(),
            requests: requests.clone(),
            dataset: DATASET,
            create_database: true,
            connections: CONNECTIONS,
            session: Vec::new(),
            globals: Vec::new(),
        };
        load(&tables, &mut |_| {}).context("cannot make the tables")?;
        let config = DriveConfig {
            target,
            session: Vec::new(),
            globals: Vec::new(),
            requests,
            dataset: DATASET,
            connections,
            pace,
            warmup: Duration::from_secs(1),
            duration: LONGEST,
            grace: Duration::from_secs(5),
            spin: false,
            reconnect_for: Duration::ZERO,
            deadline: None,
        };
        let pid = server.facts().pid.context("the server is on another machine")?;
        let started = Self::of(pid, config);
        while started.done.load(Ordering::Relaxed) == 0 {
            if started.thread.is_finished() {
                return Err(started
                    .stop()
                    .err()
                    .unwrap_or_else(|| anyhow::anyhow!("the load ended")));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(started)
    }

    fn of(server: u32, config: DriveConfig) -> Self {
        let done = Arc::new(AtomicU64::new(0));
        let cancel = CancellationToken::new();
        let thread = thread::spawn({
            let (done, cancel) = (Arc::clone(&done), cancel.clone());
            move || {
                let outputs = DriveOutputs {
                    log: &mut io::sink(),
                    watch: &mut (),
                    observer: Some(Arc::new(move |_| {
                        done.fetch_add(1, Ordering::Relaxed);
                    })),
                    cancel,
                };
                drive(&config, outputs)
            }
        });
        Self {
            server,
            done,
            cancel,
            thread,
        }
    }

    /// Returns the requests of the next time of this length, and their CPU time.
    pub fn watched(&self, length: Duration) -> anyhow::Result<RequestsAndCpu> {
        let cpu = CpuTime::now(self.server)?;
        let (started, before) = (Instant::now(), self.done.load(Ordering::Relaxed));
        thread::sleep(length);
        let requests = self.done.load(Ordering::Relaxed) - before;
        Ok(RequestsAndCpu {
            requests,
            length: started.elapsed(),
            cpu: CpuTime::now(self.server)? - cpu,
        })
    }

    /// Ends it; an error is what ended it before.
    pub fn stop(self) -> anyhow::Result<()> {
        self.cancel.cancel();
        let ended = self
            .thread
            .join()
            .map_err(|_| anyhow::anyhow!("the load panicked"))?;
        let errors = ended.context("the load ended early")?.errors;
        anyhow::ensure!(errors.is_empty(), "requests failed: {errors:?}");
        Ok(())
    }
}
