//! Requests by kind, for workloads with several kinds.

use logtrace_common::units;

use crate::document::{Document, KindRow};
use crate::render::table::{Table, percentiles};

/// Returns the counts and response times of each kind, or `None` if there is only one kind.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let of_tpcc = document.tpcc.as_ref().map(|tpcc| tpcc.transactions.as_slice());
    let of_file = document.driver.as_ref().map(|driver| driver.kinds.as_slice());
    // Only the TPC-C-like workload has requests that are rolled back on purpose.
    let (rows, can_roll_back) = match (of_tpcc, of_file) {
        (Some(rows @ [_, ..]), _) => (rows, true),
        (_, Some(rows @ [_, ..])) => (rows, false),
        _ => return None,
    };
    let mut header = vec!["response", "done", "failed", "p50", "p90", "p99", "p99.9", "max"];
    if can_roll_back {
        header.insert(2, "rolled back");
    }
    Some(Table {
        header,
        words: 1,
        rows: rows.iter().map(|row| cells(row, can_roll_back)).collect(),
    })
}

fn cells(row: &KindRow, can_roll_back: bool) -> Vec<String> {
    // Names from a workload file stay unchanged.
    let name = match can_roll_back {
        true => row.name.replace('_', " "),
        false => row.name.clone(),
    };
    let mut cells = vec![name, units::count(row.done), units::count(row.failed)];
    if can_roll_back {
        cells.insert(2, units::count(row.rolled_back));
    }
    cells.extend(percentiles(&row.response));
    cells
}
