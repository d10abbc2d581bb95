//! What the tracer saw, missed and cost.

use logtrace_events::Losses;

/// The tracer's own account since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Records handed on.
    pub events: u64,
    /// Records that the kernel side could not store or match.
    pub losses: Losses,
    /// Run time of all BPF programs in nanoseconds, by the kernel's own statistics (`BPF_ENABLE_STATS`). The trap of
    /// a uprobe and the system calls' slow path come on top.
    pub bpf_ns: u64,
    /// CPU time of the reading thread in nanoseconds, all that it does with the records included.
    pub reader_cpu_ns: u64,
    /// Each probe.
    pub probes: Vec<ProbeAccount>,
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
    /// Times that its program ran.
    pub runs: u64,
    /// Run time of its program in nanoseconds.
    pub run_ns: u64,
}

impl Account {
    /// What happened since an `earlier` account of the same tracer.
    pub fn since(mut self, earlier: &Self) -> Self {
        self.events -= earlier.events;
        self.losses.lost -= earlier.losses.lost;
        self.losses.undecodable -= earlier.losses.undecodable;
        self.losses.unmatched -= earlier.losses.unmatched;
        self.bpf_ns -= earlier.bpf_ns;
        self.reader_cpu_ns -= earlier.reader_cpu_ns;
        for (probe, before) in self.probes.iter_mut().zip(&earlier.probes) {
            probe.runs -= before.runs;
            probe.run_ns -= before.run_ns;
        }
        self
    }
}
