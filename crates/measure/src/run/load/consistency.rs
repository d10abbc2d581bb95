//! Consistency of a workload's tables before and after a run.

use anyhow::bail;
use logtrace_driver::Target;
use logtrace_driver::tpcc::{CheckedCondition, check};

use crate::errors::with_causes;
use crate::measurement::{Line, Signals};
use crate::outcome::consistency_checks::broken;
use crate::run::load::drive::on_own_thread;

/// Checks the loaded tables. A run on inconsistent tables is not worth measuring, so they are an error.
pub(crate) async fn check_loaded(
    (target, warehouses): (&Target, u32),
    signals: &Signals,
    line: &Line,
) -> anyhow::Result<Vec<CheckedCondition>> {
    let conditions = signals
        .unless_ended(conditions(target, warehouses, line))
        .await??;
    let broken: Vec<String> = conditions.iter().filter_map(broken).collect();
    if broken.is_empty() {
        return Ok(conditions);
    }
    bail!(
        "the tables that were just loaded are not consistent, so nothing was measured: {}. Does anybody else change \
         them?",
        broken.join("; ")
    )
}

/// Checks the tables after the run. An error is returned as text, because the run has been measured.
pub(crate) async fn check_after_run(
    (target, warehouses): (&Target, u32),
    signals: &Signals,
    line: &Line,
) -> Result<Vec<CheckedCondition>, String> {
    match signals.unless_ended(conditions(target, warehouses, line)).await {
        Ok(checked) => checked.map_err(with_causes),
        Err(_) => Err("the run was ended before its time".to_owned()),
    }
}

async fn conditions(target: &Target, warehouses: u32, line: &Line) -> anyhow::Result<Vec<CheckedCondition>> {
    line.say("checking the tables");
    let target = target.clone();
    Ok(on_own_thread(move || check(&target, warehouses)).await??)
}
