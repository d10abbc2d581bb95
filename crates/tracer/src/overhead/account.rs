//! Records that the tracer saw and lost, and its cost.

use logtrace_events::Losses;

use crate::overhead::cpu_times::CpuTimes;

/// Account of the tracer since its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Number of records read.
    pub events: u64,
    /// Number of records that the kernel side could not store or match.
    pub losses: Losses,
    /// Accounts of the probes.
    pub probes: Vec<ProbeAccount>,
    /// Time of the machine's CPUs.
    pub cpu_times: CpuTimes,
    /// CPU time of the thread that reads the rings.
    pub(crate) drain_cpu_ns: u64,
    /// Records that the sink took (may be fewer than were read), and its CPU time.
    pub(crate) delivered: Delivered,
    /// Number of records made while the kernel measured the programs.
    pub(crate) sampled: u64,
    /// Run time of all BPF programs in that time, in nanoseconds.
    pub(crate) sampled_ns: u64,
}

/// Account of a probe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeAccount {
    /// Name in the probe table.
    pub name: &'static str,
    /// Place at which it is attached.
    pub place: String,
    /// Reason why it is not attached, and the consequence.
    pub missing: Option<String>,
    /// Program of the kernel side. Several probes may share one.
    pub program: &'static str,
    pub(crate) sampled_runs: u64,
    pub(crate) sampled_ns: u64,
}

/// Records that the sink took, and their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivered {
    pub(crate) records: u64,
    /// CPU time in nanoseconds.
    pub(crate) cpu_ns: u64,
}

impl Account {
    /// Returns the difference to an `earlier` account of the same tracer.
    pub fn since(mut self, earlier: &Self) -> Self {
        self.events -= earlier.events;
        self.losses.lost -= earlier.losses.lost;
        self.losses.undecodable -= earlier.losses.undecodable;
        self.losses.unmatched -= earlier.losses.unmatched;
        self.drain_cpu_ns -= earlier.drain_cpu_ns;
        self.cpu_times = self.cpu_times.since(earlier.cpu_times);
        self.delivered.records -= earlier.delivered.records;
        self.delivered.cpu_ns -= earlier.delivered.cpu_ns;
        self.sampled -= earlier.sampled;
        self.sampled_ns -= earlier.sampled_ns;
        for (probe, before) in self.probes.iter_mut().zip(&earlier.probes) {
            probe.sampled_runs -= before.sampled_runs;
            probe.sampled_ns -= before.sampled_ns;
        }
        self
    }

    /// Returns the run time of all BPF programs in nanoseconds, extrapolated from the kernel's statistics
    /// (`BPF_ENABLE_STATS`) of a part of the time; 0 if the kernel refuses them. The trap of a uprobe and the slow path
    /// of system calls come on top.
    pub fn bpf_ns(&self) -> u64 {
        self.whole(self.sampled_ns, self.sampled)
    }

    /// Returns the number of runs of a probe's program, extrapolated from a part of the time.
    pub fn runs(&self, probe: &ProbeAccount) -> u64 {
        self.whole(probe.sampled_runs, self.sampled)
    }

    /// Returns the run time of a probe's program in nanoseconds, extrapolated from a part of the time.
    pub fn run_ns(&self, probe: &ProbeAccount) -> u64 {
        self.whole(probe.sampled_ns, self.sampled)
    }

    /// Returns the CPU time in nanoseconds of reading and processing the records. The sink processes some of them
    /// before or after the time of this account, so its mean cost of a record stands for all.
    pub fn reader_cpu_ns(&self) -> u64 {
        let Delivered { records, cpu_ns } = self.delivered;
        self.drain_cpu_ns + self.whole(cpu_ns, records)
    }

    /// Extrapolates a count for some of the records to all of them.
    fn whole(&self, counted: u64, of_records: u64) -> u64 {
        if of_records == 0 {
            return 0;
        }
        (counted as f64 * (self.events as f64 / of_records as f64)).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(events: u64, sampled: u64, ns: u64) -> Account {
        Account {
            events,
            probes: vec![ProbeAccount {
                sampled_runs: ns / 100,
                sampled_ns: ns,
                ..ProbeAccount::default()
            }],
            sampled,
            sampled_ns: ns,
            ..Account::default()
        }
    }

    #[test]
    fn the_sampled_part_stands_for_the_whole() {
        let part = account(3_000, 150, 9_000).since(&account(1_000, 50, 5_000));
        assert_eq!(part.bpf_ns(), 80_000);
        assert_eq!(part.run_ns(&part.probes[0]), 80_000);
        assert_eq!(part.runs(&part.probes[0]), 800);
    }

    #[test]
    fn a_sink_that_lags_behind_costs_the_same_in_the_end() {
        let delivered = |records, cpu_ns| Account {
            events: 4 * records,
            drain_cpu_ns: records,
            delivered: Delivered { records, cpu_ns },
            ..Account::default()
        };
        let part = delivered(300, 900).since(&delivered(100, 300));
        assert_eq!(part.reader_cpu_ns(), 200 + 4 * 600);
    }

    #[test]
    fn nothing_is_said_where_nothing_was_sampled() {
        assert_eq!(account(1_000, 0, 0).bpf_ns(), 0);
    }
}
