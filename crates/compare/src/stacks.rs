//! The mean commit by stack.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::OverTime;
use logtrace_attribution::cause::Who;
use serde::Serialize;

use crate::run::Run;
use crate::waited::Waited;

/// Mean nanoseconds of a commit in one stack.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StackChange {
    /// Wait of the commits.
    #[serde(flatten)]
    pub waited: Waited,
    /// Role of the thread that worked.
    pub who: Who,
    /// Names of the frames below, outermost first.
    pub frames: Vec<String>,
    /// Mean of the first side.
    pub a: f64,
    /// Mean of the second side.
    pub b: f64,
}

type StackSums = BTreeMap<(Waited, Who, Vec<String>), [f64; 2]>;

/// Returns the stacks of both sides; none if a run has no commits over time.
pub(crate) fn stack_changes(a: &[Run], b: &[Run]) -> Vec<StackChange> {
    let mut sums = StackSums::new();
    for (side, runs) in [a, b].into_iter().enumerate() {
        for run in runs {
            let (Some(over_time), Some(commits)) = (&run.over_time, &run.document.commits) else {
                return Vec::new();
            };
            let commits = commits.count.max(1) as f64 * runs.len() as f64;
            add(&mut sums, side, over_time, commits);
        }
    }
    let rows = sums.into_iter();
    rows.map(|((waited, who, frames), [a, b])| StackChange {
        waited,
        who,
        frames,
        a,
        b,
    })
    .collect()
}

/// Adds the stacks of a run, divided by its number of commits.
fn add(sums: &mut StackSums, side: usize, over_time: &OverTime, commits: f64) {
    let causes = &over_time.causes;
    let mut of_stacks = vec![0; causes.stacks.len()];
    for cell in &causes.cells {
        of_stacks[cell.stack] += cell.ns;
    }
    for (stack, ns) in causes.stacks.iter().zip(of_stacks) {
        let key = (stack.cause.into(), stack.cause.who, stack.frames.clone());
        sums.entry(key).or_default()[side] += ns as f64 / commits;
    }
}
