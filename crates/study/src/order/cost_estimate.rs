//! What a study will take, before it starts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use logtrace_driver::Content;

use crate::cell::{Cell, DataUse};
use crate::order::turns::turns;

/// What a turn takes besides its load: variables are set, dirty pages settle, the report is written.
const TURN: Duration = Duration::from_millis(1_500);
/// A server starts, and ends: 2 to 2.5 s on two cores, with little data.
const SERVER: Duration = Duration::from_millis(2_500);
/// Bytes that are loaded in a second: what the loader does on two cores.
const LOAD_BYTES_PER_S: u64 = 10_000_000;
/// Bytes that are copied in a second when data is restored.
const COPY_BYTES_PER_S: u64 = 200_000_000;
/// A row of sysbench's tables with its indexes, and of other tables for want of something better.
const ROW: u64 = 250;
/// A warehouse of the TPC-C-like workload.
const WAREHOUSE: u64 = 100_000_000;
/// An empty data directory with its redo log.
const EMPTY: u64 = 250_000_000;

/// What a study will take, about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Cells.
    pub cells: usize,
    /// Measurements: cells times repeats.
    pub turns: usize,
    /// Time that is measured, warm-ups left out.
    pub measuring: Duration,
    /// All of the time.
    pub time: Duration,
    /// Bytes of the largest data.
    pub data: u64,
    /// Bytes on disk: the data of each server and workload, once more for the server that runs, and the binary log of the
    /// longest stretch between two starts; results are small.
    pub disk: u64,
}

impl Estimate {
    /// Of these cells.
    pub fn new(cells: &[Cell]) -> Self {
        // The seed changes the order, and not what there is to do.
        let turns = turns(cells, 0);
        let measuring = turns.iter().map(|turn| cells[turn.cell].duration).sum();
        let mut time = Duration::ZERO;
        let (mut loaded, mut running) = (BTreeMap::new(), BTreeSet::new());
        for turn in &turns {
            let cell = &cells[turn.cell];
            let data = cell.data_bytes();
            time += TURN + cell.warmup + cell.duration;
            let key = (cell.server_words(), cell.data_key());
            if loaded.insert(key, data).is_none() {
                time += SERVER + seconds(data, LOAD_BYTES_PER_S);
            }
            if running.insert((turn.repeat, turn.group)) || cell.data == DataUse::Restored {
                time += SERVER + seconds(data, COPY_BYTES_PER_S);
            }
        }
        let data = loaded.values().copied().max().unwrap_or(0);
        let templates: u64 = loaded.values().map(|data| data + EMPTY).sum();
        Self {
            cells: cells.len(),
            turns: turns.len(),
            measuring,
            time,
            data,
            disk: templates + data + EMPTY + written(cells),
        }
    }
}

impl Cell {
    /// Bytes of the tables before they are measured, about.
    pub fn data_bytes(&self) -> u64 {
        match self.requests.content() {
            Content::Script(_) => self.dataset(0).total_rows() * ROW,
            Content::Tpcc(tpcc) => u64::from(tpcc.warehouses) * WAREHOUSE,
            Content::File(custom) => custom.table_rows().sum::<u64>() * ROW,
        }
    }

    /// The server, in words that tell it from others.
    fn server_words(&self) -> String {
        format!("{:?}", self.server)
    }
}

/// Binary and query logs that the turns of a group leave until the server's data is restored: 5 MB a second.
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
