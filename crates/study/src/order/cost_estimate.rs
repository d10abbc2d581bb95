//! Estimate of the time and the disk space of a study.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use logtrace_driver::Content;

use crate::cell::{Cell, DataUse};
use crate::order::measurement_order::measurement_order;

/// Time of a measurement besides its load: variables are set, dirty pages are written, the report is written.
const MEASUREMENT: Duration = Duration::from_millis(1_500);
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
    /// Number of measurements: cells times repeats.
    pub measurements: usize,
    /// Time of the windows, without warm-ups.
    pub measuring: Duration,
    /// Whole time.
    pub time: Duration,
    /// Bytes of the largest data of a cell.
    pub data: u64,
    /// Bytes on disk: the data of each server and workload, once more for the server that runs, and the binary log of the
    /// longest stretch between two starts; results are small.
    pub disk: u64,
}

impl CostEstimate {
    /// Estimates the cost of these cells.
    pub fn new(cells: &[Cell]) -> Self {
        // The seed changes the order only.
        let measurements = measurement_order(cells, 0);
        let measuring = measurements.iter().map(|one| cells[one.cell].duration).sum();
        let mut time = Duration::ZERO;
        let (mut loaded, mut running) = (BTreeMap::new(), BTreeSet::new());
        for one in &measurements {
            let cell = &cells[one.cell];
            let data = cell.data_bytes();
            time += MEASUREMENT + cell.warmup + cell.duration;
            let key = (format!("{:?}", cell.server), cell.data_key());
            if loaded.insert(key, data).is_none() {
                time += SERVER + seconds(data, LOAD_BYTES_PER_S);
            }
            if running.insert((one.repeat, one.group)) || cell.data == DataUse::Restored {
                time += SERVER + seconds(data, COPY_BYTES_PER_S);
            }
        }
        let data = loaded.values().copied().max().unwrap_or(0);
        let templates: u64 = loaded.values().map(|data| data + EMPTY).sum();
        Self {
            cells: cells.len(),
            measurements: measurements.len(),
            measuring,
            time,
            data,
            disk: templates + data + EMPTY + written(cells),
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
        *groups.entry(cell.server_key()).or_default() += cell.warmup + cell.duration;
    }
    let longest = groups.into_values().max().unwrap_or_default();
    longest.as_secs() * BYTES_PER_S
}

fn seconds(bytes: u64, per_s: u64) -> Duration {
    Duration::from_millis(bytes.saturating_mul(1000) / per_s)
}
