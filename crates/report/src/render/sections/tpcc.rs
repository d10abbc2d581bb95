//! What the TPC-C-like workload came to, and what the tables say.

use crate::document::{Consistency, Document, Tpcc};
use crate::units;

/// New orders a minute, for the summary.
pub(crate) fn nopm(document: &Document) -> Option<String> {
    let tpcc = of(document)?;
    let (nopm, with_rollbacks) = (units::tenths(tpcc.nopm), units::tenths(tpcc.nopm_with_rollbacks));
    Some(format!("NOPM {nopm} ({with_rollbacks} with rolled-back orders)"))
}

/// What the server's tables say of the run, in sentences.
pub(crate) fn sentences(document: &Document) -> Vec<String> {
    of(document).map_or_else(Vec::new, |tpcc| {
        let counted = std::iter::once(counted(tpcc));
        counted.chain(consistency(&tpcc.consistency)).collect()
    })
}

/// The parameters of the workload, for the settings.
pub(crate) fn settings(document: &Document) -> Vec<(&'static str, String)> {
    document.tpcc.iter().flat_map(parameters).collect()
}

fn parameters(tpcc: &Tpcc) -> [(&'static str, String); 4] {
    let keying_times = if tpcc.keying_times { "yes" } else { "no" };
    [
        ("warehouses", units::count(tpcc.warehouses)),
        ("as in", tpcc.compat.clone()),
        ("home warehouse of each", tpcc.homes.clone()),
        ("keying and think times", keying_times.to_owned()),
    ]
}

/// The workload, once it was measured.
fn of(document: &Document) -> Option<&Tpcc> {
    document
        .tpcc
        .as_ref()
        .filter(|tpcc| !tpcc.transactions.is_empty())
}

fn counted(tpcc: &Tpcc) -> String {
    let committed = units::count(tpcc.committed_orders);
    match tpcc.orders_grown {
        Some(grown) => format!(
            "{committed} new orders were seen to be committed; by the server's order numbers (d_next_o_id) it was {}",
            units::count(grown)
        ),
        None => format!(
            "{committed} new orders were seen to be committed; the server's order numbers are not known"
        ),
    }
}

fn consistency(rows: &[Consistency]) -> Option<String> {
    let numbers: Vec<String> = rows.iter().map(|row| row.condition.to_string()).collect();
    let broken = rows
        .iter()
        .filter(|row| row.after_run.is_some_and(|count| count > 0));
    let broken: Vec<String> = broken.map(|row| row.condition.to_string()).collect();
    let is_checked = rows.iter().all(|row| row.after_run.is_some());
    let numbers = numbers.join(", ");
    (!rows.is_empty()).then(|| match (is_checked, broken.is_empty()) {
        (true, true) => format!("consistency conditions {numbers} held after the load and after the run"),
        (true, false) => format!(
            "consistency conditions {numbers} held after the load; after the run {} did not",
            broken.join(", ")
        ),
        (false, _) => format!("consistency conditions {numbers} held after the load"),
    })
}
