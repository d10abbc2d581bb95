//! logtrace's driver.

use std::time::Duration;

use logtrace_common::Connection;
use logtrace_driver::{DriveConfig, Pace, Requests, Target};
use logtrace_events::Request;

use super::arguments::{Arguments, ClientWindow};
use logtrace_benchkit::driven::driven;
use logtrace_benchkit::tables::{DATABASE, DATASET};

/// Measures one window.
pub(crate) fn run(server: &Connection, arguments: &Arguments) -> anyhow::Result<ClientWindow> {
    let config = DriveConfig {
        target: Target::new(server, DATABASE),
        session: Vec::new(),
        globals: Vec::new(),
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
    let measured = driven(config, None::<fn(&Request)>)?;
    Ok(ClientWindow {
        per_s: measured.achieved_per_s,
        cpu_us: measured.client_cpu_ns as f64 / 1e3 / measured.done.max(1) as f64,
    })
}
