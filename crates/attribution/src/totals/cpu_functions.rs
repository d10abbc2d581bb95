//! Time on the CPU, split by function.

use logtrace_events::CpuStacks;
use rustc_hash::FxHashMap;

use crate::causes::{Cause, Wait};
use crate::charging::Segment;
use crate::timeline::Timelines;
use crate::timeline::frames::Below;

/// Samples of threads on the CPU, by the cause that their time was charged to.
#[derive(Debug, Default)]
pub(crate) struct CpuFunctions {
    /// Number of samples, by [`Cause::number`].
    counts: FxHashMap<u32, FxHashMap<CpuStacks, u64>>,
}

impl CpuFunctions {
    /// Adds the samples that were taken within the segments. A sample counts once for each commit that waited for its
    /// thread, as the thread's time does.
    pub(crate) fn add(&mut self, segments: &[Segment], timelines: &Timelines) {
        let on_cpu = segments
            .iter()
            .filter(|segment| segment.cause.wait == Wait::OnCpu);
        for segment in on_cpu {
            for stacks in timelines.cpu_samples(segment.tid, segment.range) {
                let counts = self.counts.entry(segment.cause.number()).or_default();
                *counts.entry(stacks).or_default() += 1;
            }
        }
    }

    /// Splits the time of a cause in proportion to its samples. The parts sum to `total_ns`; without samples it is one
    /// part without frames.
    pub(crate) fn split(&self, cause: Cause, total_ns: u64) -> Vec<(Option<Below>, u64)> {
        let Some(counts) = self.counts.get(&cause.number()) else {
            return vec![(None, total_ns)];
        };
        let mut counts: Vec<_> = counts.iter().map(|(&stacks, &count)| (stacks, count)).collect();
        counts.sort_unstable();
        let all: u64 = counts.iter().map(|(_, count)| count).sum();
        let mut seen = 0;
        let mut given_ns = 0;
        let part = |(stacks, count)| {
            seen += count;
            let part_ns = share(total_ns, seen, all) - given_ns;
            given_ns += part_ns;
            (Some(Below::Running(stacks)), part_ns)
        };
        counts.into_iter().map(part).collect()
    }
}

/// Returns `part` of `all` parts of a time, rounded down.
fn share(total_ns: u64, part: u64, all: u64) -> u64 {
    let share = u128::from(total_ns) * u128::from(part) / u128::from(all);
    u64::try_from(share).unwrap_or(total_ns)
}

#[cfg(test)]
mod tests {
    use logtrace_common::TimeRange;
    use logtrace_events::CpuSample;

    use super::*;

    const ON_CPU: Cause = Cause::own(Wait::OnCpu);

    fn segment(tid: u32, range: TimeRange, wait: Wait) -> Segment {
        let cause = Cause { wait, ..ON_CPU };
        let frames = None;
        Segment {
            range,
            tid,
            cause,
            frames,
        }
    }

    fn stacks(server: u32) -> CpuStacks {
        CpuStacks {
            server: Some(server),
            kernel: None,
        }
    }

    #[test]
    fn time_is_split_by_the_samples_of_the_thread_on_the_cpu() {
        let mut timelines = Timelines::new(1);
        for (tid, at_ns, server) in [(7, 5, 1), (7, 15, 2), (7, 25, 2), (7, 35, 3), (8, 12, 4)] {
            let stacks = stacks(server);
            timelines
                .push_cpu_sample(&CpuSample { tid, at_ns, stacks })
                .unwrap();
        }
        let mut functions = CpuFunctions::default();
        let segments = [
            segment(7, TimeRange::new(0, 30), Wait::OnCpu),
            segment(7, TimeRange::new(30, 40), Wait::Timer),
        ];
        functions.add(&segments, &timelines);
        let part = |server, ns| (Some(Below::Running(stacks(server))), ns);
        assert_eq!(functions.split(ON_CPU, 100), [part(1, 33), part(2, 67)]);
    }

    #[test]
    fn time_without_samples_has_no_functions() {
        assert_eq!(CpuFunctions::default().split(ON_CPU, 100), [(None, 100)]);
    }
}
