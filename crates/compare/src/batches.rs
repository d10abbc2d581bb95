//! Commits with their causes, and requests, by batches of a run: some seconds of it.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::OverTime;
use logtrace_report::document::{Cpu, CpuColumns};

use crate::durations::BatchDurations;
use crate::waited::Waited;

/// Least length of a batch. What happens within a second, such as a group of commits that all wait for one fsync, is one
/// event, and not as many as there are commits.
const LEAST_NS: u64 = 1_000_000_000;

/// Commits with their causes, and requests, by the batch in which they ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Batches {
    /// Length of a batch in nanoseconds.
    pub(crate) length_ns: u64,
    /// Commits.
    pub(crate) commits: BatchDurations,
    /// Nanoseconds of these commits by cause.
    pub(crate) causes: BTreeMap<Waited, Vec<f64>>,
    /// Response times of requests.
    pub(crate) responses: BatchDurations,
    /// CPU nanoseconds of the server; empty where they are not known.
    pub(crate) server_cpu: Vec<f64>,
    /// CPU nanoseconds of the machine; empty where they are not known.
    pub(crate) machine_cpu: Vec<f64>,
}

impl Batches {
    /// Returns the batches of a run, with its CPU time if that is known.
    pub(crate) fn of(over_time: &OverTime, cpu: Option<&Cpu>) -> Self {
        let responses = over_time.requests.as_ref().map(|requests| &requests.response);
        let commits = &over_time.commits;
        let widths = [commits.column_ns, over_time.causes.column_ns, 1];
        let widths = widths.into_iter().chain(responses.map(|cells| cells.column_ns));
        let widths = widths.chain(cpu.map(|cpu| cpu.column_ns));
        let column_ns = widths.max().unwrap_or(1);
        let length_ns = column_ns * LEAST_NS.div_ceil(column_ns);
        let commits = BatchDurations::of(commits, length_ns);
        let mut causes = BTreeMap::new();
        for cell in &over_time.causes.cells {
            let cause = over_time.causes.stacks[cell.stack].cause.into();
            let sums: &mut Vec<f64> = causes
                .entry(cause)
                .or_insert_with(|| vec![0.0; commits.counts.len()]);
            let batch = cell.column.saturating_mul(over_time.causes.column_ns) / length_ns;
            if let Some(sum) = usize::try_from(batch).ok().and_then(|at| sums.get_mut(at)) {
                *sum += cell.ns as f64;
            }
        }
        Self {
            length_ns,
            commits,
            causes,
            responses: responses
                .map(|cells| BatchDurations::of(cells, length_ns))
                .unwrap_or_default(),
            server_cpu: cpu.map_or_else(Vec::new, |cpu| summed(&cpu.server, cpu.column_ns, length_ns)),
            machine_cpu: cpu
                .and_then(|cpu| Some(summed(cpu.machine.as_ref()?, cpu.column_ns, length_ns)))
                .unwrap_or_default(),
        }
    }

    /// Returns the nanoseconds of all commits of each batch.
    pub(crate) fn total_ns(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.commits.counts.len()];
        for sums in self.causes.values() {
            for (total, sum) in totals.iter_mut().zip(sums) {
                *total += sum;
            }
        }
        totals
    }
}

/// Returns the sums of the columns of each batch.
fn summed(of: &CpuColumns, column_ns: u64, length_ns: u64) -> Vec<f64> {
    let batch = |column: u64| column.saturating_mul(column_ns) / length_ns;
    let columns: Vec<(u64, u64)> = (0..).zip(of.columns.iter().copied()).collect();
    let batches = columns.chunk_by(|(one, _), (next, _)| batch(*one) == batch(*next));
    batches
        .map(|columns| columns.iter().map(|(_, ns)| *ns as f64).sum())
        .collect()
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::{CubeCell, HeatCell, StackRow};
    use logtrace_attribution::cause::Cause;

    use super::*;

    #[test]
    fn columns_become_batches_of_a_second_and_frames_of_a_cause_are_summed() {
        let mut over_time = OverTime::default();
        over_time.commits.column_ns = 100_000_000;
        over_time.commits.cells = [(0, 5, 2), (9, 6, 1), (10, 5, 4)]
            .map(|(column, row, count)| HeatCell { column, row, count })
            .into();
        over_time.causes.column_ns = 200_000_000;
        let row = |frames: &[&str]| StackRow {
            cause: Cause::UNEXPLAINED,
            frames: frames.iter().map(|&frame| frame.to_owned()).collect(),
        };
        over_time.causes.stacks = vec![row(&[]), row(&["f"])];
        over_time.causes.cells = [(0, 0, 10), (4, 1, 7), (5, 0, 20)]
            .map(|(column, stack, ns)| CubeCell {
                column,
                band: 1,
                stack,
                ns,
                commits: 1,
            })
            .into();
        let cpu = Cpu {
            column_ns: 200_000_000,
            server: CpuColumns {
                total: 21,
                columns: (1..=6).collect(),
            },
            machine: None,
        };
        let batches = Batches::of(&over_time, Some(&cpu));
        assert_eq!(batches.server_cpu, [15.0, 6.0]);
        assert_eq!(batches.machine_cpu, [0.0; 0]);
        assert_eq!(batches.length_ns, 1_000_000_000);
        assert_eq!(batches.commits.counts, [3.0, 4.0]);
        assert_eq!(batches.causes[&Cause::UNEXPLAINED.into()], [17.0, 20.0]);
        assert_eq!(batches.total_ns(), [17.0, 20.0]);
        assert_eq!(batches.commits.rows[0], BTreeMap::from([(5, 2.0), (6, 1.0)]));
        assert_eq!(
            Batches::of(&OverTime::default(), None).commits,
            BatchDurations::default()
        );
    }
}
