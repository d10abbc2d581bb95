//! Caveats of a TPC-C-like run; pure.

use logtrace_driver::tpcc::CheckedCondition;
use logtrace_driver::{DISCONNECTED, DriveResult, TIMED_OUT};
use logtrace_report::document::{Caveat, CaveatKind};

use crate::document::tpcc::{committed, new_orders};
use crate::outcome::consistency_checks::broken;
use crate::outcome::run_outcome::RunOutcome;

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

fn inconsistent(checked: &Result<Vec<CheckedCondition>, String>) -> Option<Caveat> {
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
    use std::collections::BTreeMap;

    use logtrace_driver::Kind;

    use super::*;
    use crate::samples::measured;

    fn conditions(violations: [u64; 2]) -> Vec<CheckedCondition> {
        let condition = |(number, violations)| CheckedCondition {
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
            found.kind.degrades() && found.text.contains("condition 2 (rows add up)"),
            "{found:?}"
        );
        let found = inconsistent(&Err("no server".to_owned())).unwrap();
        assert!(
            !found.kind.degrades() && found.text.contains("no server"),
            "{found:?}"
        );
    }

    #[test]
    fn orders_whose_end_is_unknown_may_count_or_not() {
        let mut driven = measured();
        driven.kinds = vec![Kind {
            done: 12,
            rolled_back: 2,
            ..Kind::default()
        }];
        driven.unfinished = 1;
        driven.errors = BTreeMap::from([(DISCONNECTED, 1), (TIMED_OUT, 1), (1213, 5)]);
        let mut grown = |orders: u64| {
            driven.orders_grown = Some(orders);
            miscounted(&driven)
        };
        assert_eq!([10, 13].map(&mut grown), [None, None]);
        for orders in [9, 14] {
            let caveat = grown(orders).unwrap();
            let words = format!("grew by {orders}, but the driver counted 10 committed");
            assert!(caveat.text.contains(&words), "{caveat:?}");
        }
        driven.orders_grown = None;
        assert_eq!(miscounted(&driven), None, "the server did not answer");
    }
}
