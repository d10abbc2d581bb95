//! Cost of the tracer by its own account, by program. Pure.

use std::collections::BTreeMap;
use std::fmt;

use logtrace_tracer::Account;

use logtrace_benchkit::Pair;
use logtrace_benchkit::tracing::Traced;

/// CPU time of the tracer over some runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    commits: u64,
    records: u64,
    reader_ns: u64,
    programs: BTreeMap<&'static str, Runs>,
}

/// Runs and run time of a program of the kernel side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Runs {
    count: u64,
    ns: u64,
}

impl Cost {
    /// Adds up the runs that have commits. Returns `None` if no run has.
    pub(crate) fn of<'a>(runs: impl Iterator<Item = &'a Traced>) -> Option<Self> {
        let mut cost = Self::default();
        for traced in runs {
            cost.add(traced.commits, &traced.account);
        }
        (cost.commits > 0).then_some(cost)
    }

    fn add(&mut self, commits: u64, account: &Account) {
        self.commits += commits;
        self.records += account.events;
        self.reader_ns += account.reader_cpu_ns();
        for (program, runs) in by_program(account) {
            let sum = self.programs.entry(program).or_default();
            sum.count += runs.count;
            sum.ns += runs.ns;
        }
    }

    /// Returns the CPU time per traced commit, of the kernel side and the reader.
    pub(crate) fn ns_a_commit(&self) -> f64 {
        self.ns_of(self.commits as f64)
    }

    /// Returns the CPU time per commit when only some of these commits were traced.
    pub(crate) fn ns_of(&self, commits: f64) -> f64 {
        (self.kernel_ns() + self.reader_ns) as f64 / commits
    }

    fn kernel_ns(&self) -> u64 {
        self.programs.values().map(|runs| runs.ns).sum()
    }

    fn a_commit(&self, total: u64) -> f64 {
        total as f64 / self.commits as f64
    }
}

/// Requests in the watched windows of these pairs.
pub(crate) fn served<S>(pairs: &[Pair<S>]) -> f64 {
    let requests: u64 = pairs.iter().map(|pair| pair.traced.requests).sum();
    requests as f64
}

/// Probes that share a program each carry the program's account, so that one of them is enough.
fn by_program(account: &Account) -> BTreeMap<&'static str, Runs> {
    let runs_of = |probe| Runs {
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
                self.a_commit(runs.count),
                runs.ns as f64 / runs.count.max(1) as f64,
                self.a_commit(runs.ns) / 1e3
            )?;
        }
        let kernel_ns = self.kernel_ns();
        for (name, ns) in [
            ("kernel side", kernel_ns),
            ("reader", self.reader_ns),
            ("both", kernel_ns + self.reader_ns),
        ] {
            writeln!(f, "{name:<16} {:>36.2}", self.a_commit(ns) / 1e3)?;
        }
        write!(
            f,
            "{} commits, {:.1} records a commit",
            self.commits,
            self.a_commit(self.records)
        )
    }
}
