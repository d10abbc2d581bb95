//! Estimate of the time and the disk space of a study.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use logtrace_driver::Content;

use crate::cell::{Cell, DataUse};
use crate::order::{Step, study_steps};

/// Time of a measurement besides its load: variables are set, dirty pages are written, the report is written.
const MEASUREMENT: Duration = Duration::from_millis(1_500);
/// Time of a short turn besides its load: variables are set, connections are opened. 50 to 65 ms on two cores.
const TURN: Duration = Duration::from_millis(70);
/// Time to start and to stop a server: 2 to 2.5 s on two cores, with little data.
const SERVER: Duration = Duration::from_millis(2_500);
/// Bytes that the loader loads per second on two cores.
const LOAD_BYTES_PER_S: u64 = 10_000_000;
/// Bytes that are copied per second when data is restored.
const COPY_BYTES_PER_S: u64 = 200_000_000;
/// Bytes of a row of sysbench's tables with its indexes; a guess for other tables.
const ROW: u64 = 250;
/// Bytes of a warehouse of the TPC-C-like workload.
const WAREHOUSE: u64 = 100_000_000;
/// Bytes of an empty data directory with its redo log.
const EMPTY: u64 = 250_000_000;

/// Estimate of the time and the disk space of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostEstimate {
    /// Number of cells.
    pub cells: usize,
    /// Number of windows.
    pub measurements: usize,
    /// Number of short turns.
    pub short_turns: usize,
    /// Time of the windows and of the short turns, without warm-ups.
    pub measuring: Duration,
    /// Whole time.
    pub time: Duration,
    /// Bytes of the largest data of a cell.
    pub data: u64,
    /// Bytes on disk: the data of each server and workload, once more for each server that runs, and the binary log of the
    /// longest stretch between two starts; results are small.
    pub disk: u64,
}

impl CostEstimate {
    /// Estimates the cost of these cells. So many servers run side by side.
    pub fn new(cells: &[Cell], living: usize) -> Self {
        let mut account = StepTimes::default();
        // The seed changes the order only.
        for step in study_steps(cells, 0, living) {
            match step {
                Step::Window(window) => account.window(&cells[window.cell], window.repeat),
                Step::Turns(block) => {
                    for &at in &block.cells {
                        account.turn(&cells[at], block.repeat);
                    }
                }
            }
        }
        let data = account.loaded.values().copied().max().unwrap_or(0);
        let templates: u64 = account.loaded.values().map(|data| data + EMPTY).sum();
        let servers: BTreeSet<String> = cells.iter().map(Cell::server_key).collect();
        let running = servers.len().min(living.max(1)) as u64;
        Self {
            cells: cells.len(),
            measurements: account.windows,
            short_turns: account.turns,
            measuring: account.measuring,
            time: account.time,
            data,
            disk: templates + running * (data + EMPTY) + written(cells),
        }
    }
}

/// Time of the steps so far.
#[derive(Debug, Default)]
struct StepTimes {
    windows: usize,
    turns: usize,
    measuring: Duration,
    time: Duration,
    /// Bytes of the data of each server and workload.
    loaded: BTreeMap<(String, String), u64>,
    /// Repeats and the servers that were started in each.
    started: BTreeSet<(u32, String)>,
}

impl StepTimes {
    fn window(&mut self, cell: &Cell, repeat: u32) {
        self.serve(cell, repeat);
        self.windows += 1;
        self.measuring += cell.duration;
        self.time += MEASUREMENT + cell.warmup + cell.duration;
    }

    fn turn(&mut self, cell: &Cell, repeat: u32) {
        self.serve(cell, repeat);
        if let Some(turns) = cell.turns {
            self.turns += 1;
            self.measuring += turns.length;
            self.time += TURN + turns.wash_in + turns.length;
        }
    }

    fn serve(&mut self, cell: &Cell, repeat: u32) {
        let data = cell.data_bytes();
        let key = (format!("{:?}", cell.server), cell.data_key());
        if self.loaded.insert(key, data).is_none() {
            self.time += SERVER + seconds(data, LOAD_BYTES_PER_S);
        }
        if self.started.insert((repeat, cell.server_key())) || cell.data == DataUse::Restored {
            self.time += SERVER + seconds(data, COPY_BYTES_PER_S);
        }
    }
}

impl Cell {
    /// Estimates the bytes of the tables before the measurement.
    pub fn data_bytes(&self) -> u64 {
        match self.requests.content() {
            Content::Script(_) => self.dataset(0).total_rows() * ROW,
            Content::Tpcc(tpcc) => u64::from(tpcc.warehouses) * WAREHOUSE,
            Content::File(custom) => custom.table_rows().sum::<u64>() * ROW,
        }
    }
}

/// Estimates the bytes of binary and query logs that the measurements of a group leave until the data is restored: 5 MB per
/// second.
fn written(cells: &[Cell]) -> u64 {
    const BYTES_PER_S: u64 = 5_000_000;
    let mut groups: BTreeMap<String, Duration> = BTreeMap::new();
    for cell in cells {
        let turns = cell.turns.map_or(Duration::ZERO, |turns| {
            (turns.wash_in + turns.length) * turns.count
        });
        *groups.entry(cell.server_key()).or_default() += cell.warmup + cell.duration + turns;
    }
    let longest = groups.into_values().max().unwrap_or_default();
    longest.as_secs() * BYTES_PER_S
}

fn seconds(bytes: u64, per_s: u64) -> Duration {
    Duration::from_millis(bytes.saturating_mul(1000) / per_s)
}
