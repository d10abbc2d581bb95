//! TPC-C part of the document, and its caveats; pure.

use logtrace_driver::tpcc::{Condition, TransactionType};
use logtrace_driver::{DISCONNECTED, DriveResult, Kind, TIMED_OUT};
use logtrace_report::document::{Caveat, Consistency, Tpcc};

use crate::measurement::caveat::CaveatKind;
use crate::run::config::RunConfig;
use crate::run::load::consistency::{ConsistencyChecks, broken};
use crate::run::outcome::request_type_row::kind_row;
use crate::run::outcome::run_outcome::RunOutcome;

/// Returns the TPC-C part, or `None` for any other workload.
pub(crate) fn document(config: &RunConfig, raw: &RunOutcome) -> Option<Tpcc> {
    let options = config.requests.tpcc()?;
    let measured = raw.measured.as_ref();
    let orders = measured.and_then(new_orders);
    let minutes = measured.map_or(0.0, |measured| measured.window.length().as_secs_f64() / 60.0);
    let per_minute = |count: u64| {
        if minutes > 0.0 {
            count as f64 / minutes
        } else {
            0.0
        }
    };
    let (in_window, rolled_back) = orders.map_or((0, 0), |of| (of.done_in_window, of.rolled_back_in_window));
    let kinds = measured.map_or(&[][..], |measured| &measured.kinds);
    let names = TransactionType::NAMES.iter();
    Some(Tpcc {
        warehouses: options.warehouses.into(),
        compat: options.profile.as_str().into(),
        homes: options.home.as_str().into(),
        keying_times: options.keying_times,
        nopm: per_minute(in_window - rolled_back),
        nopm_with_rollbacks: per_minute(in_window),
        committed_orders: orders.map_or(0, committed),
        orders_grown: measured.and_then(|measured| measured.orders_grown),
        transactions: names
            .zip(kinds)
            .map(|(name, kind)| kind_row(name, kind))
            .collect(),
        consistency: consistency(&raw.checked),
    })
}

fn new_orders(measured: &DriveResult) -> Option<&Kind> {
    measured.kinds.get(TransactionType::NewOrder as usize)
}

fn committed(orders: &Kind) -> u64 {
    orders.done - orders.rolled_back
}

fn consistency(checked: &ConsistencyChecks) -> Vec<Consistency> {
    let loaded = checked.loaded.as_deref().unwrap_or_default();
    let left = checked.run.as_ref().and_then(|run| run.as_deref().ok());
    let row = |loaded: &Condition| {
        let left = left.unwrap_or_default().iter();
        let mut left = left.filter(|left| left.number == loaded.number);
        Consistency {
            condition: loaded.number.into(),
            text: loaded.text.into(),
            after_load: loaded.violations,
            after_run: left.next().map(|left| left.violations),
        }
    };
    loaded.iter().map(row).collect()
}

/// Returns the caveats of a TPC-C-like run.
pub(crate) fn caveats(raw: &RunOutcome) -> Vec<Caveat> {
    let counted = raw.measured.as_ref().and_then(miscounted);
    let checked = raw.checked.run.as_ref().and_then(inconsistent);
    counted.into_iter().chain(checked).collect()
}

/// Returns a caveat if the server and the driver counted different numbers of orders. Requests with an unknown end
/// may count or not.
fn miscounted(measured: &DriveResult) -> Option<Caveat> {
    let (counted, grown) = (committed(new_orders(measured)?), measured.orders_grown?);
    let errors = |code| measured.errors.get(&code).copied().unwrap_or_default();
    let unseen = measured.unfinished + errors(DISCONNECTED) + errors(TIMED_OUT);
    let may_be = counted..=counted.saturating_add(unseen);
    (!may_be.contains(&grown)).then(|| {
        CaveatKind::OrderCount.caveat(format!(
            "the sum of d_next_o_id grew by {grown}, but the driver counted {counted} committed new orders: did another \
             client use the tables?"
        ))
    })
}

fn inconsistent(checked: &Result<Vec<Condition>, String>) -> Option<Caveat> {
    match checked {
        Ok(conditions) => {
            let broken: Vec<String> = conditions.iter().filter_map(broken).collect();
            (!broken.is_empty()).then(|| {
                let text = format!(
                    "the tables are not consistent after the run: {}",
                    broken.join("; ")
                );
                CaveatKind::Inconsistent.caveat(text)
            })
        }
        Err(why) => {
            Some(CaveatKind::Unchecked.caveat(format!("the tables were not checked after the run: {why}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::caveat::is_degrading;

    fn conditions(violations: [u64; 2]) -> Vec<Condition> {
        let condition = |(number, violations)| Condition {
            number,
            text: "rows add up",
            violations,
        };
        (1..).zip(violations).map(condition).collect()
    }

    #[test]
    fn a_broken_condition_degrades_the_run_and_an_unchecked_one_does_not() {
        assert_eq!(inconsistent(&Ok(conditions([0, 0]))), None);
        let found = inconsistent(&Ok(conditions([0, 3]))).unwrap();
        assert!(
            is_degrading(&found) && found.text.contains("condition 2 (rows add up)"),
            "{found:?}"
        );
        let found = inconsistent(&Err("no server".to_owned())).unwrap();
        assert!(
            !is_degrading(&found) && found.text.contains("no server"),
            "{found:?}"
        );
    }

    #[test]
    fn each_condition_has_a_row_even_when_the_second_check_is_missing() {
        let checked = |run| ConsistencyChecks {
            loaded: Some(conditions([0, 0])),
            run,
        };
        let rows = consistency(&checked(Some(Ok(conditions([0, 2])))));
        let after: Vec<_> = rows.iter().map(|row| (row.condition, row.after_run)).collect();
        assert_eq!(after, [(1, Some(0)), (2, Some(2))]);
        assert!(
            consistency(&checked(None))
                .iter()
                .all(|row| row.after_run.is_none())
        );
        assert!(consistency(&ConsistencyChecks::default()).is_empty());
    }
}
