//! Consistency of the tables before and after a run.

use logtrace_driver::tpcc::CheckedCondition;

/// Consistency conditions of the tables; `None` if they were not checked.
#[derive(Debug, Default)]
pub(crate) struct ConsistencyChecks {
    /// Conditions after the load, all met.
    pub(crate) loaded: Option<Vec<CheckedCondition>>,
    /// Conditions after the run, or the reason why they are unknown.
    pub(crate) run: Option<Result<Vec<CheckedCondition>, String>>,
}

/// Describes a condition that is not met.
pub(crate) fn broken(condition: &CheckedCondition) -> Option<String> {
    let CheckedCondition {
        number,
        text,
        violations,
    } = *condition;
    (violations > 0).then(|| format!("condition {number} ({text}) does not hold in {violations} cases"))
}
