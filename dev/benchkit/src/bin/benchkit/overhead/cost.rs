//! Cost of the tracer by its own account, by program. Pure.

use std::collections::BTreeMap;
use std::fmt;

use logtrace_tracer::{Account, Estimate};

use logtrace_benchkit::TracerPair;
use logtrace_benchkit::tracing::TracedCommits;

/// CPU time of the tracer over some runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    commits: u64,
    records: u64,
    calls: f64,
    bpf: Estimate,
    entries: Estimate,
    slow_paths: Estimate,
    reader: Estimate,
    programs: BTreeMap<&'static str, ProgramCost>,
}

/// Runs and run time of a program of the kernel side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ProgramCost {
    count: u64,
    ns: u64,
}

impl Cost {
    /// Adds up the runs that have commits. Returns `None` if no run has.
    pub(crate) fn of<'a>(runs: impl Iterator<Item = &'a TracedCommits>) -> Option<Self> {
        let mut cost = Self::default();
        for traced in runs {
            cost.add(traced.commits, &traced.account);
        }
        (cost.commits > 0).then_some(cost)
    }

    fn add(&mut self, commits: u64, account: &Account) {
        self.commits += commits;
        self.records += account.events;
        self.calls += account.system_calls();
        self.bpf = self.bpf + account.bpf();
        self.entries = self.entries + account.entries();
        self.slow_paths = self.slow_paths + account.slow_paths();
        self.reader = self.reader + account.reader();
        for (program, runs) in by_program(account) {
            let sum = self.programs.entry(program).or_default();
            sum.count += runs.count;
            sum.ns += runs.ns;
        }
    }

    /// Returns the CPU time per traced commit.
    pub(crate) fn ns_a_commit(&self) -> Estimate {
        self.ns_of(self.commits as f64)
    }

    /// Returns the CPU time per commit when only some of these commits were traced.
    pub(crate) fn ns_of(&self, commits: f64) -> Estimate {
        let sum = self.bpf + self.entries + self.slow_paths + self.reader;
        sum.times(1.0 / commits)
    }

    fn a_commit(&self, total: f64) -> f64 {
        total / self.commits as f64
    }
}

/// Requests in the watched windows of these pairs.
pub(crate) fn served<S>(pairs: &[TracerPair<S>]) -> f64 {
    let requests: u64 = pairs.iter().map(|pair| pair.traced.requests).sum();
    requests as f64
}

/// Probes that share a program each carry the program's account, so that one of them is enough.
fn by_program(account: &Account) -> BTreeMap<&'static str, ProgramCost> {
    let runs_of = |probe| ProgramCost {
        count: account.runs(probe),
        ns: account.run_ns(probe),
    };
    account
        .probes
        .iter()
        .map(|probe| (probe.program, runs_of(probe)))
        .collect()
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<16} {:>14} {:>8} {:>12}",
            "program", "runs a commit", "ns a run", "us a commit"
        )?;
        for (program, runs) in &self.programs {
            writeln!(
                f,
                "{program:<16} {:>14.2} {:>8.0} {:>12.2}",
                self.a_commit(runs.count as f64),
                runs.ns as f64 / runs.count.max(1) as f64,
                self.a_commit(runs.ns as f64) / 1e3
            )?;
        }
        for (name, estimate) in [
            ("programs", self.bpf),
            ("ways to them", self.entries),
            ("slower calls", self.slow_paths),
            ("reader", self.reader),
            ("account", self.bpf + self.entries + self.slow_paths + self.reader),
        ] {
            let us = estimate.times(1e-3 / self.commits as f64);
            writeln!(
                f,
                "{name:<16} {:>36.2}   {:.2} to {:.2}",
                us.ns,
                us.low(),
                us.high()
            )?;
        }
        write!(
            f,
            "{} commits, {:.1} records and {:.1} system calls a commit",
            self.commits,
            self.a_commit(self.records as f64),
            self.a_commit(self.calls)
        )
    }
}
