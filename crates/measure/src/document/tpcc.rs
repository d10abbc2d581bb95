//! TPC-C part of the document; pure.

use logtrace_driver::tpcc::{CheckedCondition, TransactionType};
use logtrace_driver::{DriveResult, Kind};
use logtrace_report::document::{Consistency, Tpcc};

use crate::config::run_config::RunConfig;
use crate::document::request_type_row::kind_row;
use crate::outcome::consistency_checks::ConsistencyChecks;
use crate::outcome::run_outcome::RunOutcome;

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

/// Returns the new orders, if the workload has them.
pub(crate) fn new_orders(measured: &DriveResult) -> Option<&Kind> {
    measured.kinds.get(TransactionType::NewOrder as usize)
}

/// Returns the number of new orders that were not rolled back.
pub(crate) fn committed(orders: &Kind) -> u64 {
    orders.done - orders.rolled_back
}

fn consistency(checked: &ConsistencyChecks) -> Vec<Consistency> {
    let loaded = checked.loaded.as_deref().unwrap_or_default();
    let left = checked.run.as_ref().and_then(|run| run.as_deref().ok());
    let row = |loaded: &CheckedCondition| {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(violations: [u64; 2]) -> Vec<CheckedCondition> {
        let condition = |(number, violations)| CheckedCondition {
            number,
            text: "rows add up",
            violations,
        };
        (1..).zip(violations).map(condition).collect()
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
