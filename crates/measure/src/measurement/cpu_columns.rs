//! CPU time of the window by column of time; pure.

use logtrace_common::{TimeColumns, TimeRange};
use logtrace_report::document::{Cpu, CpuColumns};

/// Longest time between two readings. Wide columns of a long trace have several.
const LONGEST_STEP_NS: u64 = 1_000_000_000;

/// Owner of CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Of {
    Server,
    Machine,
}

/// CPU time of a window so far.
#[derive(Debug)]
pub(super) struct CpuSoFar {
    window: TimeRange,
    columns: TimeColumns<Of, u64>,
}

impl CpuSoFar {
    /// Creates the columns of a window, without time.
    pub(super) fn new(window: TimeRange) -> Self {
        Self {
            window,
            columns: TimeColumns::new(window.start_ns),
        }
    }

    /// Adds the CPU time between two readings, spread evenly over the columns of that interval. What is outside of the window is
    /// left out.
    pub(super) fn add(&mut self, of: Of, interval: TimeRange, cpu_ns: u64) {
        let length_ns = u128::from(interval.length_ns().max(1));
        let until = |at_ns: u64| {
            let part = u128::from(cpu_ns) * u128::from(at_ns - interval.start_ns) / length_ns;
            // A part of 64 bits has at most as many.
            u64::try_from(part).unwrap_or(u64::MAX)
        };
        let inside = interval.intersection(self.window);
        let mut at_ns = inside.start_ns;
        while at_ns < inside.end_ns {
            let end_ns = next_multiple(self.window.start_ns, at_ns, self.columns.width_ns());
            let end_ns = end_ns.min(inside.end_ns);
            *self.columns.sum_at(at_ns, of) += until(end_ns) - until(at_ns);
            at_ns = end_ns;
        }
    }

    /// Returns when to read next: at the ends of columns, so that no time has to be spread.
    pub(super) fn next_ns(&self, of: Of, now_ns: u64) -> u64 {
        let TimeRange { start_ns, end_ns } = self.window;
        if now_ns < start_ns {
            return start_ns;
        }
        let width_ns = self.columns.width_ns();
        let step_ns = match of {
            Of::Server => width_ns / width_ns.div_ceil(LONGEST_STEP_NS),
            // The kernel counts in ticks, and its counters take longer to read.
            Of::Machine => LONGEST_STEP_NS,
        };
        next_multiple(start_ns, now_ns, step_ns).min(end_ns)
    }

    /// Returns the result for a window that ended at this time, the CPU time of the machine if it is known. A column that begins
    /// after the end is left out.
    pub(super) fn finish(self, end_ns: u64, has_machine: bool) -> Cpu {
        let column_ns = self.columns.width_ns();
        let length_ns = end_ns
            .min(self.window.end_ns)
            .saturating_sub(self.window.start_ns);
        let count = usize::try_from(length_ns.div_ceil(column_ns)).unwrap_or(0);
        let mut server = vec![0; count];
        let mut machine = vec![0; count];
        for ((column, of), ns) in self.columns.sums() {
            let columns = match of {
                Of::Server => &mut server,
                Of::Machine => &mut machine,
            };
            let place = usize::try_from(column).ok();
            if let Some(sum) = place.and_then(|place| columns.get_mut(place)) {
                *sum += ns;
            }
        }
        Cpu {
            column_ns,
            server: columns(server),
            machine: has_machine.then(|| columns(machine)),
        }
    }
}

/// Returns the first multiple of a step from `start_ns` on that is after `at_ns`.
fn next_multiple(start_ns: u64, at_ns: u64, step_ns: u64) -> u64 {
    let steps = (at_ns - start_ns) / step_ns + 1;
    start_ns.saturating_add(steps.saturating_mul(step_ns))
}

fn columns(columns: Vec<u64>) -> CpuColumns {
    CpuColumns {
        total: columns.iter().sum(),
        columns,
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::MOST_COLUMNS;

    use super::*;

    const TENTH_NS: u64 = 100_000_000;

    #[test]
    fn time_between_readings_is_spread_and_cut_at_the_window() {
        let mut cpu = CpuSoFar::new(TimeRange::new(1_000, 1_000 + 3 * TENTH_NS));
        // Half of it is before the window.
        cpu.add(Of::Server, TimeRange::new(0, 2_000), 12);
        // A quarter of it is after the window.
        let beyond = TimeRange::new(1_000, 1_000 + 4 * TENTH_NS);
        cpu.add(Of::Server, beyond, 4_000_000);
        cpu.add(Of::Machine, TimeRange::new(1_000, 1_000 + 2 * TENTH_NS), 3);
        let found = cpu.finish(u64::MAX, true);
        assert_eq!(found.column_ns, TENTH_NS);
        assert_eq!(found.server.columns, [1_000_006, 1_000_000, 1_000_000]);
        assert_eq!(found.server.total, 3_000_006);
        assert_eq!(found.machine.unwrap().columns, [1, 2, 0]);
    }

    #[test]
    fn a_trace_of_weeks_has_few_columns_and_loses_nothing() {
        let mut cpu = CpuSoFar::new(TimeRange::new(7, u64::MAX));
        let mut at_ns = 7;
        let mut total = 0;
        for reading in 0..200_000_u64 {
            let next_ns = cpu.next_ns(Of::Server, at_ns);
            assert!(next_ns > at_ns && next_ns - at_ns <= LONGEST_STEP_NS);
            // Some readings come late.
            let read_ns = next_ns + reading % 3 * 1_000_000;
            cpu.add(Of::Server, TimeRange::new(at_ns, read_ns), 1_000 + reading % 7);
            total += 1_000 + reading % 7;
            at_ns = read_ns;
        }
        let found = cpu.finish(at_ns, false);
        assert!(found.server.columns.len() as u64 <= MOST_COLUMNS);
        assert_eq!(found.server.total, total);
        assert_eq!(found.machine, None);
    }

    #[test]
    fn readings_are_at_the_window_and_at_the_ends_of_columns() {
        let cpu = CpuSoFar::new(TimeRange::new(1_000, 1_000 + 5 * TENTH_NS / 2));
        for (of, now_ns, next_ns) in [
            (Of::Server, 0, 1_000),
            (Of::Server, 1_000, 1_000 + TENTH_NS),
            (Of::Server, 1_001, 1_000 + TENTH_NS),
            (Of::Server, 1_000 + 2 * TENTH_NS, 1_000 + 5 * TENTH_NS / 2),
            (Of::Machine, 0, 1_000),
            (Of::Machine, 1_000, 1_000 + 5 * TENTH_NS / 2),
        ] {
            assert_eq!(cpu.next_ns(of, now_ns), next_ns, "{of:?} after {now_ns}");
        }
    }

    #[test]
    fn what_came_after_an_early_end_is_left_out() {
        let mut cpu = CpuSoFar::new(TimeRange::new(0, 10 * TENTH_NS));
        cpu.add(Of::Server, TimeRange::new(0, 10 * TENTH_NS), 1_000);
        let found = cpu.finish(2 * TENTH_NS + 1, false);
        assert_eq!(found.server.columns, [100, 100, 100]);
        assert_eq!(found.server.total, 300);
    }
}
