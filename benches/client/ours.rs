//! logtrace's driver.

use std::io;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use logtrace_driver::{
    CancellationToken, Dataset, DriveConfig, Keys, LoadConfig, Outputs, Pace, Requests, WorkloadInfo, drive,
};
use logtrace_server::Connection;

use crate::target::target;
use crate::{Arguments, Window};

/// The database of the tables, which both clients use.
pub(crate) const DATABASE: &str = "logtrace_client";

/// sysbench's own names and sizes.
pub(crate) const DATASET: Dataset = Dataset {
    tables: 4,
    rows: 10_000,
    keys: Keys::Uniform,
    seed: 1,
};

const LOADERS: NonZeroUsize = NonZeroUsize::new(4).expect("four connections");

/// Makes the tables.
pub(crate) fn load(server: &Connection, workload: &'static WorkloadInfo) -> anyhow::Result<()> {
    let config = LoadConfig {
        target: target(server, DATABASE),
        requests: Requests::plain(workload),
        dataset: DATASET,
        create_database: true,
        connections: LOADERS,
    };
    logtrace_driver::load(&config, &mut |_| {}).context("cannot make the tables")?;
    Ok(())
}

/// One window.
pub(crate) fn run(server: &Connection, arguments: &Arguments) -> anyhow::Result<Window> {
    let config = DriveConfig {
        target: target(server, DATABASE),
        requests: Requests::plain(arguments.workload),
        dataset: DATASET,
        connections: arguments.connections,
        pace: Pace::Closed,
        warmup: Duration::from_millis(200),
        duration: arguments.duration,
        grace: Duration::from_secs(5),
        spin: false,
        reconnect_for: Duration::ZERO,
        deadline: None,
    };
    // A thread of its own, as in the program: it keeps what it sets.
    let driving = thread::spawn(move || {
        let outputs = Outputs {
            log: &mut io::sink(),
            watch: &mut (),
            observer: None,
            cancel: CancellationToken::new(),
        };
        drive(&config, outputs)
    });
    let driven = driving
        .join()
        .map_err(|_| anyhow::anyhow!("the driver panicked"))?;
    let measured = driven.context("the driver ended early")?;
    anyhow::ensure!(
        measured.errors.is_empty(),
        "requests failed: {:?}",
        measured.errors
    );
    Ok(Window {
        per_s: measured.achieved_per_s,
        cpu_us: measured.client_cpu_ns as f64 / 1e3 / measured.done.max(1) as f64,
    })
}
