//! The consistency of a workload's tables, before and after a run.

use anyhow::bail;
use logtrace_driver::Target;
use logtrace_driver::tpcc::{Condition, check};

use crate::exit::with_causes;
use crate::measurement::{Line, Signals};
use crate::run::load::drive::on_own_thread;

/// The consistency conditions of the tables at two times; `None` when they were not checked.
#[derive(Debug, Default)]
pub(crate) struct ConsistencyChecks {
    /// After the load: all of them were met.
    pub(crate) loaded: Option<Vec<Condition>>,
    /// After the run, or why it is not known.
    pub(crate) run: Option<Result<Vec<Condition>, String>>,
}

/// Checks what was loaded; it must be as it should, or nothing of it is worth measuring.
pub(crate) async fn check_loaded(
    target: &Target,
    signals: &Signals,
    line: &Line,
) -> anyhow::Result<Vec<Condition>> {
    let conditions = signals.unless_ended(conditions(target, line)).await??;
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

/// Checks what a run left, or tells why not: the run has been measured.
pub(crate) async fn check_after_run(
    target: &Target,
    signals: &Signals,
    line: &Line,
) -> Result<Vec<Condition>, String> {
    match signals.unless_ended(conditions(target, line)).await {
        Ok(checked) => checked.map_err(|error| with_causes(error)),
        Err(_) => Err("the run was ended before its time".to_owned()),
    }
}

/// A condition that is not met, in words.
pub(crate) fn broken(condition: &Condition) -> Option<String> {
    let Condition {
        number,
        text,
        violations,
    } = *condition;
    (violations > 0).then(|| format!("condition {number} ({text}) does not hold in {violations} cases"))
}

async fn conditions(target: &Target, line: &Line) -> anyhow::Result<Vec<Condition>> {
    line.say("checking the tables");
    let target = target.clone();
    Ok(on_own_thread(move || check(&target)).await??)
}
