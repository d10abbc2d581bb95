//! Whether the parts of a run document add up.

use std::collections::BTreeSet;

use logtrace_common::units;
use thiserror::Error;

use crate::document::from_breakdown::{last_resort, unexplained};
use crate::document::{CauseRow, Commits, Document, Groups, Holders, SCHEMA, StatementStages};

/// A sum that does not hold. The document is wrong: logtrace has a defect, or somebody edited `run.json`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Imbalance {
    /// The layout is of another version.
    #[error("the document has schema {0}, this logtrace writes and reads schema {SCHEMA}")]
    Schema(u32),
    /// A sum differs from its total.
    #[error("{what} sum to {sum}, and not to {total}")]
    Sum {
        /// Name of the summands.
        what: &'static str,
        /// Their sum.
        sum: u128,
        /// Expected sum.
        total: u64,
    },
    /// A part is larger than its whole.
    #[error("{what}: {part} is more than the whole of {whole}")]
    Part {
        /// Name of the part.
        what: &'static str,
        /// Size of the part.
        part: u64,
        /// The size of the whole.
        whole: u64,
    },
    /// Two rows are about the same cause.
    #[error("a cause is listed twice: {0:?}")]
    Twice(CauseRow),
    /// Causes without commits.
    #[error("{0} causes without commits")]
    WithoutCommits(usize),
}

impl Document {
    /// Checks every sum that `run.json` promises; the first that does not hold is the error.
    pub fn check(&self) -> Result<(), Imbalance> {
        if self.schema != SCHEMA {
            return Err(Imbalance::Schema(self.schema));
        }
        sum(
            "causes that nothing explains",
            [unexplained(&self.causes)],
            self.unexplained,
        )?;
        // Documents of versions before this field have 0.
        if self.last_resort > 0 {
            let part = [last_resort(&self.causes)];
            sum("causes that rules of last resort name", part, self.last_resort)?;
        }
        distinct(&self.causes)?;
        for row in self.files() {
            sum("calls on a file", [row.distribution.count], row.count)?;
        }
        if let Some(driver) = &self.driver
            && !driver.per_tenth.is_empty()
        {
            let per_tenth = driver.per_tenth.iter().copied();
            sum("requests done per tenth of a second", per_tenth, driver.done)?;
        }
        let of_machine = self.cpu.iter().flat_map(|cpu| &cpu.machine);
        let of_server = self.cpu.iter().map(|cpu| &cpu.server);
        for of in of_server.chain(of_machine) {
            sum("columns of CPU time", of.columns.iter().copied(), of.total)?;
        }
        self.stages.as_ref().map_or(Ok(()), in_stages)?;
        if let Some(statements) = &self.statements {
            let totals = statements.causes.iter().map(|row| row.total);
            sum("the causes of statements", totals, statements.total)?;
        }
        if let Some(of) = &self.response {
            let parts = [of.lag, of.client, of.before_commit, of.commit, of.after_commit];
            sum("the parts of the response times", parts, of.total)?;
        }
        match &self.commits {
            Some(commits) => {
                balance(commits, &self.causes)?;
                let holders = self.holders.as_ref();
                holders.map_or(Ok(()), |holders| held(holders, commits))?;
                let groups = self.groups.as_ref();
                groups.map_or(Ok(()), |groups| in_groups(groups, commits))
            }
            None if self.causes.is_empty() => Ok(()),
            None => Err(Imbalance::WithoutCommits(self.causes.len())),
        }
    }
}

/// Commits against their causes.
fn balance(commits: &Commits, causes: &[CauseRow]) -> Result<(), Imbalance> {
    let totals = causes.iter().map(|row| row.total);
    sum("the causes", totals, commits.total)?;
    let slowest = causes.iter().map(|row| row.slowest);
    sum(
        "the causes of the slowest commits",
        slowest,
        commits.slowest_total,
    )?;
    let per_second = commits.per_second.iter().copied();
    sum("commits per second", per_second, commits.count)?;
    for tenth in &commits.slow_tenths {
        part("commits that ended in a slow tenth", tenth.ended, tenth.under_way)?;
        part("commits of a slow tenth", tenth.ended, commits.count)?;
    }
    sum(
        "commits of the distribution",
        [commits.distribution.count],
        commits.count,
    )?;
    part("slowest commits", commits.slowest_count, commits.count)?;
    part(
        "time of the slowest commits",
        commits.slowest_total,
        commits.total,
    )?;
    if let Some(others) = commits.others {
        part("commits of other clients", others.count, commits.count)?;
        part(
            "time of the commits of other clients",
            others.total,
            commits.total,
        )?;
    }
    for row in causes {
        part("commits that a cause delayed", row.commits, commits.count)?;
        part("a cause's time in the slowest commits", row.slowest, row.total)?;
    }
    Ok(())
}

/// Waits for transactions against the commits.
fn held(holders: &Holders, commits: &Commits) -> Result<(), Imbalance> {
    let rows = holders.transactions.iter();
    let waited = rows.fold(0_u64, |sum, row| sum.saturating_add(row.waited));
    part("waits for transactions", waited, commits.total)?;
    for row in &holders.processes {
        part("commits that waited for a process", row.commits, commits.count)?;
        part("waits for a process", row.cpu, commits.total)?;
    }
    for row in &holders.transactions {
        part(
            "commits that waited for a transaction",
            row.commits,
            commits.count,
        )?;
        part("the longest wait for a transaction", row.longest, row.waited)?;
        part("the commit of a transaction", row.commit, row.ns)?;
    }
    Ok(())
}

/// Statements by stage, and their waits before commits.
fn in_stages(of: &StatementStages) -> Result<(), Imbalance> {
    let stages = [of.before_commit, of.commit, of.after_commit];
    sum("the stages of statements", stages, of.total)?;
    let waits = of.waits.iter().map(|row| row.total);
    sum("the waits before commits", waits, of.waited)?;
    part("waits before commits", of.waited, of.before_commit)?;
    for row in &of.waits {
        part("the longest wait", row.longest, row.total)?;
        let held_by = units::sum(row.held_by.iter().map(|holder| holder.total));
        part("waits by holder", held_by, row.total)?;
        for holder in &row.held_by {
            part("time of a holder", holder.held, holder.total)?;
            part("time in which a holder was idle", holder.idle, holder.held)?;
            part("waits of a holder", holder.count, row.count)?;
        }
    }
    Ok(())
}

/// Groups of commits against the commits.
fn in_groups(groups: &Groups, commits: &Commits) -> Result<(), Imbalance> {
    sum("groups by size", groups.sizes.iter().copied(), groups.count)?;
    let members = groups.sizes.iter().zip(1..);
    let members = members.map(|(groups, size): (&u64, u64)| groups.saturating_mul(size));
    sum("members of groups", members, groups.members)?;
    part("merged groups", groups.merged, groups.count)?;
    part("commits that another thread led", groups.led, commits.count)?;
    let otherwise = groups.disagreements;
    part(
        "led commits that wake-ups explain otherwise",
        otherwise.commits,
        groups.led,
    )?;
    let what = "time that wake-ups charge to another thread";
    part(what, otherwise.total, commits.total)
}

fn distinct(causes: &[CauseRow]) -> Result<(), Imbalance> {
    let mut seen = BTreeSet::new();
    for row in causes {
        if !seen.insert(row.cause) {
            return Err(Imbalance::Twice(*row));
        }
    }
    Ok(())
}

fn sum(what: &'static str, parts: impl IntoIterator<Item = u64>, total: u64) -> Result<(), Imbalance> {
    // Wider than the parts, so that a damaged file cannot overflow it.
    let sum = parts.into_iter().map(u128::from).sum();
    if sum == u128::from(total) {
        return Ok(());
    }
    Err(Imbalance::Sum { what, sum, total })
}

fn part(what: &'static str, part: u64, whole: u64) -> Result<(), Imbalance> {
    if part <= whole {
        return Ok(());
    }
    Err(Imbalance::Part { what, part, whole })
}
