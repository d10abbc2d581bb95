//! Results of the TPC-C-like workload.

use logtrace_common::units;

use crate::document::{Consistency, Document, Tpcc};

/// Returns the new orders a minute, for the summary.
pub(crate) fn nopm(document: &Document) -> Option<String> {
    let tpcc = of(document)?;
    let (nopm, with_rollbacks) = (units::tenths(tpcc.nopm), units::tenths(tpcc.nopm_with_rollbacks));
    Some(format!("NOPM {nopm} ({with_rollbacks} with rolled-back orders)"))
}

/// Returns the server's counts and the consistency of its tables, in sentences.
pub(crate) fn sentences(document: &Document) -> Vec<String> {
    let tpcc = of(document).into_iter();
    tpcc.flat_map(|tpcc| [Some(counted(tpcc)), consistency(&tpcc.consistency)])
        .flatten()
        .collect()
}

/// Returns the parameters of the workload, for the settings.
pub(crate) fn settings(document: &Document) -> Vec<(&'static str, String)> {
    let parameters = |tpcc: &Tpcc| {
        let keying_times = if tpcc.keying_times { "yes" } else { "no" };
        [
            ("warehouses", units::count(tpcc.warehouses)),
            ("as in", tpcc.compat.clone()),
            ("home warehouse of each", tpcc.homes.clone()),
            ("keying and think times", keying_times.to_owned()),
        ]
    };
    document.tpcc.iter().flat_map(parameters).collect()
}

/// Returns the workload, if it was measured.
fn of(document: &Document) -> Option<&Tpcc> {
    let tpcc = document.tpcc.as_ref();
    tpcc.filter(|tpcc| !tpcc.transactions.is_empty())
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
    let numbers = |rows: &mut dyn Iterator<Item = &Consistency>| -> String {
        let number = |row: &Consistency| match row.condition {
            0 => "0 (numbers of rows)".to_owned(),
            number => number.to_string(),
        };
        let numbers: Vec<String> = rows.map(number).collect();
        numbers.join(", ")
    };
    let all = numbers(&mut rows.iter());
    let broken = numbers(
        &mut rows
            .iter()
            .filter(|row| row.after_run.is_some_and(|count| count > 0)),
    );
    let is_checked = rows.iter().all(|row| row.after_run.is_some());
    (!rows.is_empty()).then(|| match (is_checked, broken.as_str()) {
        (true, "") => format!("consistency conditions {all} held after the load and after the run"),
        (true, broken) => {
            format!("consistency conditions {all} held after the load; after the run {broken} did not")
        }
        (false, _) => format!("consistency conditions {all} held after the load"),
    })
}
