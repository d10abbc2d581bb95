//! Requests by kind, where a workload has several.

use crate::document::{Document, KindRow};
use crate::render::table::Table;
use crate::units;

/// One row for each kind, with its response times; `None` where there are none.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let of_tpcc = document.tpcc.as_ref().map(|tpcc| tpcc.transactions.as_slice());
    let of_file = document.driver.as_ref().map(|driver| driver.kinds.as_slice());
    // Only the TPC-C-like workload has requests that are meant to be rolled back.
    match (of_tpcc, of_file) {
        (Some(rows @ [_, ..]), _) => Some(of(rows, true)),
        (_, Some(rows @ [_, ..])) => Some(of(rows, false)),
        _ => None,
    }
}

fn of(rows: &[KindRow], can_roll_back: bool) -> Table {
    let rolled_back = can_roll_back.then_some("rolled back");
    let head = ["response", "done"].into_iter().chain(rolled_back);
    let tail = ["failed", "p50", "p90", "p99", "p99.9", "max"];
    Table {
        header: head.chain(tail).collect(),
        words: 1,
        rows: rows.iter().map(|row| cells(row, can_roll_back)).collect(),
    }
}

fn cells(row: &KindRow, can_roll_back: bool) -> Vec<String> {
    let times = &row.response;
    let rolled_back = can_roll_back.then_some(row.rolled_back);
    let counts = [Some(row.done), rolled_back, Some(row.failed)];
    let counts = counts.into_iter().flatten().map(units::count);
    let times = [times.p50, times.p90, times.p99, times.p999, times.max].map(units::duration);
    // A file's names are somebody's: they stay as they are.
    let name = match can_roll_back {
        true => row.name.replace('_', " "),
        false => row.name.clone(),
    };
    std::iter::once(name).chain(counts).chain(times).collect()
}
