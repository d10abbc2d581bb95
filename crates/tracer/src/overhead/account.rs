//! What the tracer saw, missed and cost.

use logtrace_events::Losses;

/// The tracer's own account since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Records that were read.
    pub events: u64,
    /// Records that the kernel side could not store or match.
    pub losses: Losses,
    /// Each probe.
    pub probes: Vec<ProbeAccount>,
    /// CPU time of the thread that reads the rings.
    pub(crate) drain_cpu_ns: u64,
    /// What the sink took, which may be less than what was read, and its CPU time.
    pub(crate) delivered: Delivered,
    /// Records that were made while runs were counted and timed.
    pub(crate) sampled: u64,
    /// Run time of all BPF programs then, in nanoseconds.
    pub(crate) sampled_ns: u64,
}

/// One probe's account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeAccount {
    /// Its name in the probe table.
    pub name: &'static str,
    /// Where it was placed.
    pub place: String,
    /// Why it is not attached, and what cannot be said without it.
    pub missing: Option<String>,
    /// The program that it runs; several probes may share one.
    pub program: &'static str,
    pub(crate) sampled_runs: u64,
    pub(crate) sampled_ns: u64,
}

/// What the sink took, and what that cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivered {
    pub(crate) records: u64,
    /// CPU time in nanoseconds.
    pub(crate) cpu_ns: u64,
}

impl Account {
    /// What happened since an `earlier` account of the same tracer.
    pub fn since(mut self, earlier: &Self) -> Self {
        self.events -= earlier.events;
        self.losses.lost -= earlier.losses.lost;
        self.losses.undecodable -= earlier.losses.undecodable;
        self.losses.unmatched -= earlier.losses.unmatched;
        self.drain_cpu_ns -= earlier.drain_cpu_ns;
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

    /// Run time of all BPF programs in nanoseconds, from the kernel's own statistics (`BPF_ENABLE_STATS`) of a part of
    /// the time; 0 where the kernel refuses them. The trap of a uprobe and the system calls' slow path come on top.
    pub fn bpf_ns(&self) -> u64 {
        self.all_runs(self.sampled_ns)
    }

    /// Times that the program of a probe of this account ran, taken from a part of the time.
    pub fn runs(&self, probe: &ProbeAccount) -> u64 {
        self.all_runs(probe.sampled_runs)
    }

    /// Run time of the program of a probe of this account in nanoseconds, taken from a part of the time.
    pub fn run_ns(&self, probe: &ProbeAccount) -> u64 {
        self.all_runs(probe.sampled_ns)
    }

    /// CPU time in nanoseconds of reading the records and of all that is done with them. The sink works on some of
    /// them before this account begins or after it ends: what it takes for a record stands for all.
    pub fn reader_cpu_ns(&self) -> u64 {
        let Delivered { records, cpu_ns } = self.delivered;
        self.drain_cpu_ns + self.whole(cpu_ns, records)
    }

    /// What was counted while the runs were, for all records.
    fn all_runs(&self, counted: u64) -> u64 {
        self.whole(counted, self.sampled)
    }

    /// What was counted for some of the records, for all of them.
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
