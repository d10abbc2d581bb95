//! Servers with a pool of threads: statements with records of their own, and commits that end in another thread's time.

use logtrace_common::TimeRange;
use logtrace_events::{AsyncCommit, Commit, Statement};

use super::{Analysis, believable};
use crate::charging::walk::explain_async;
use crate::requests::visit::Visit;
use crate::timeline::Unmatched;
use crate::totals::by_stage::StageTotals;

impl Analysis {
    /// Adds the part of a commit in its function. What goes on counts when it ends.
    pub(super) fn push_commit_return(&mut self, commit: &Commit) -> Result<(), Unmatched> {
        let in_function = TimeRange::new(commit.start_ns, commit.end_ns);
        believable(in_function)?;
        self.timelines.push_commit(commit)?;
        self.holders.end(commit.tid, in_function, 0, false);
        Ok(())
    }

    /// Adds a commit whose function returned before.
    pub(super) fn push_async_commit(&mut self, ended: &AsyncCommit) -> Result<(), Unmatched> {
        let commit = &ended.commit;
        let whole = TimeRange::new(commit.start_ns, commit.end_ns);
        believable(whole)?;
        self.segments.clear();
        self.is_counted = self.counts_commit(whole);
        if self.is_counted {
            explain_async(ended, &self.timelines, &mut self.memory, &mut self.segments);
            self.count(commit, whole);
            if self.statements.is_some() {
                self.aggregate.add_functions(&self.segments, &self.timelines);
            }
        }
        Ok(())
    }

    /// Adds a statement of a client of a pool of threads. The first one tells that there is such a pool: what was counted by the
    /// waits of threads until then is none of a client's.
    pub(super) fn push_statement(&mut self, statement: &Statement) -> Result<(), Unmatched> {
        self.timelines.note_session(statement.tid, statement.at_ns);
        if !self.is_pooled {
            self.is_pooled = true;
            self.begin_statements();
        }
        let range = TimeRange::new(statement.start_ns, statement.end_ns);
        believable(range)?;
        if self.counts_commit(range) {
            let commits = self.timelines.thread(statement.tid).into_iter();
            let visit = Visit {
                range,
                commits: commits.flat_map(|timeline| timeline.commits(range)).collect(),
                ..Visit::default()
            };
            self.stages
                .add(statement.tid, &visit, &self.timelines, &mut self.memory);
            if let Some(statements) = &mut self.statements {
                statements.add(statement.tid, &visit, &self.timelines, &mut self.memory);
            }
        }
        Ok(())
    }

    /// Begins the totals of statements anew.
    pub(super) fn begin_statements(&mut self) {
        self.stages = StageTotals::new(!self.is_pooled);
        if self.statements.is_some() {
            self.explain_statements();
        }
    }

    /// Counts the statements that are under way at the end.
    pub(super) fn count_open(&mut self) {
        let until_ns = self.last_ns.min(self.window.end_ns);
        let open = self.responses.open_visits(until_ns);
        let is_of_client =
            |tid: &_| *tid != self.timelines.server_tgid && self.timelines.serves_connection(*tid);
        let open = open.filter(is_of_client).count();
        if let Some(cut) = &mut self.stages.cut {
            cut.at_end = open as u64;
        }
    }
}
