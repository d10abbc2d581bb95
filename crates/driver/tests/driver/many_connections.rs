//! A thousand connections to real servers. Alone in its binary: it watches the memory of the process.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::common::drives::{DATASET, config, drive_to_end, load_dataset, uniform};
use crate::common::server::{FLAVORS, Server};
use logtrace_driver::{
    CancellationToken, DriveConfig, DriveOutputs, EndReason, Progress, Stage, Watch, drive,
};
use logtrace_testkit::{alone, one_or_all};

const CONNECTIONS: usize = 1000;
const RATE_PER_S: f64 = 2000.0;
const ROUNDS: usize = 3;

fn with(server: &Server, connections: usize) -> DriveConfig {
    let second = Duration::from_secs(1);
    let config = config(
        server.target("logtrace"),
        "point_select",
        uniform(RATE_PER_S),
        second,
    );
    DriveConfig {
        connections: NonZeroUsize::new(connections).unwrap(),
        ..config
    }
}

/// Drives for a second; the median lag.
fn lag_ns(config: &DriveConfig) -> u64 {
    let measured = drive_to_end(config);
    assert_eq!(measured.ended, EndReason::Completed);
    assert_eq!((measured.requests, measured.done), (2000, 2000));
    assert_eq!(measured.outages, [], "all connected, and stayed");
    measured.lag.value_at_quantile(0.5)
}

fn resident_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The process' memory at each second of the window.
#[derive(Default)]
struct Memory {
    kb: Vec<u64>,
}

impl Watch for Memory {
    fn progress(&mut self, progress: &Progress<'_>) {
        if progress.stage == Stage::Window {
            self.kb.push(resident_kb());
        }
    }
}

/// Memory after the first second of a drive of six, and after the last.
fn memory_kb(config: DriveConfig) -> (u64, u64) {
    let config = DriveConfig {
        duration: Duration::from_secs(6),
        ..config
    };
    let mut memory = Memory::default();
    let outputs = DriveOutputs {
        log: &mut io::sink(),
        watch: &mut memory,
        observer: None,
        cancel: CancellationToken::new(),
    };
    drive(&config, outputs).unwrap();
    assert!(memory.kb.len() >= 5, "{:?}", memory.kb);
    (memory.kb[0], *memory.kb.last().unwrap())
}

#[test]
fn a_thousand_connections_cost_neither_lag_nor_memory_as_time_goes() {
    let _alone = alone();
    for &flavor in one_or_all(&FLAVORS) {
        let server = Server::start(flavor, &["--max-connections=1100"]);
        load_dataset(&server.target("logtrace"), DATASET);
        let (few, many) = (with(&server, 8), with(&server, CONNECTIONS));
        let ratios = (0..ROUNDS).map(|_| lag_ns(&many) as f64 / lag_ns(&few) as f64);
        let ratio = median(ratios.collect());
        let (first_kb, last_kb) = memory_kb(many);
        println!("{flavor:?}: lag {ratio:.2} times that of 8 connections, from {first_kb} to {last_kb} kB");
        assert!(ratio < 2.0, "{flavor:?}: {ratio}");
        assert!(
            last_kb < first_kb + first_kb / 10,
            "{flavor:?}: {first_kb} to {last_kb} kB"
        );
    }
}
