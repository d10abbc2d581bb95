//! Time of the server for its clients, by stage, with the long waits before commits.
//!
//! A statement is here what a thread does between two waits for its client, as for requests. Statements that follow one another
//! without a wait count as one below full detail; the time between two of its commits is before the later one.

use std::cmp::Reverse;

use logtrace_events::Tid;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::EnumCount;

use crate::causes::Cause;
use crate::charging::walk::memory::Memory;
use crate::requests::long_waits::{LongWait, long_waits};
use crate::requests::part::Part;
use crate::requests::visit::Visit;
use crate::timeline::Timelines;
use crate::totals::lock_holders::{LockHolder, LockTotals};

/// Time of statements by stage, and their long waits before commits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementStages {
    /// Number of statements.
    pub statements: u64,
    /// Statements that are known in part. Absent with a pool of threads, where they are not seen, and in older documents.
    #[serde(default)]
    pub cut: Option<CutStatements>,
    /// Sum of their times in the server.
    pub total: u64,
    /// Part of that before commits, or of statements without a commit.
    pub before_commit: u64,
    /// Part in commits.
    pub commit: u64,
    /// Part after the last commit, until the thread waited for its client again.
    pub after_commit: u64,
    /// Waits of 1 ms and more before commits; part of `before_commit`.
    pub waited: u64,
    /// The same by cause, the largest first. They sum to `waited` exactly.
    pub waits: Vec<LongWaits>,
}

/// Statements that were under way when tracing began or ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CutStatements {
    /// Number of statements that were under way when tracing began. They are among all statements, with the time since then.
    pub at_start: u64,
    /// Number of statements that were under way when tracing ended. They are not among all statements.
    pub at_end: u64,
}

/// Waits of 1 ms and more with one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LongWaits {
    /// The cause.
    #[serde(flatten)]
    pub cause: Cause,
    /// Number of waits.
    pub count: u64,
    /// Sum of their times.
    pub total: u64,
    /// The longest one.
    pub longest: u64,
    /// Sessions that held a lock meanwhile, at most 8, those of the longest times first. Empty if it was no lock, or if no
    /// session gave it back, as where the time for the wait ran out.
    pub held_by: Vec<LockHolder>,
}

/// Sums over statements.
#[derive(Debug, Default)]
pub(crate) struct StageTotals {
    statements: u64,
    /// Statements that are known in part, if they are seen.
    pub(crate) cut: Option<CutStatements>,
    lengths: [u64; Part::COUNT],
    /// Sums by [`Cause::number`].
    waits: FxHashMap<u32, LongWaits>,
    holders: LockTotals,
}

impl StageTotals {
    /// Creates empty totals. `sees_cut` is whether statements are seen that are under way at either end.
    pub(crate) fn new(sees_cut: bool) -> Self {
        Self {
            cut: sees_cut.then(CutStatements::default),
            ..Self::default()
        }
    }

    /// Adds a statement of thread `tid` that was under way when tracing began and has just ended.
    pub(crate) fn add_begun_before(
        &mut self,
        tid: Tid,
        visit: &Visit,
        timelines: &Timelines,
        memory: &mut Memory,
    ) {
        let before = self.statements;
        self.add(tid, visit, timelines, memory);
        if let Some(cut) = &mut self.cut {
            cut.at_start += self.statements - before;
        }
    }

    /// Adds a statement of thread `tid` that has just ended.
    pub(crate) fn add(&mut self, tid: Tid, visit: &Visit, timelines: &Timelines, memory: &mut Memory) {
        let is_of_client = tid != timelines.server_tgid && timelines.serves_connection(tid);
        // A wait for the client may be among the lost records.
        if !is_of_client || timelines.lost.meet(visit.range) {
            return;
        }
        self.statements += 1;
        visit.stages(visit.range, |part, range| {
            self.lengths[part as usize] += range.length_ns();
            if part == Part::BeforeCommit {
                for wait in long_waits(timelines, memory, tid, range) {
                    self.add_wait(timelines, memory, &wait);
                }
            }
        });
    }

    fn add_wait(&mut self, timelines: &Timelines, memory: &mut Memory, wait: &LongWait) {
        let ns = wait.ns();
        let sum = self.waits.entry(wait.cause.number()).or_insert(LongWaits {
            cause: wait.cause,
            count: 0,
            total: 0,
            longest: 0,
            held_by: Vec::new(),
        });
        sum.count += 1;
        sum.total += ns;
        sum.longest = sum.longest.max(ns);
        if wait.cause.wait.is_lock() {
            self.holders.add(timelines, memory, wait);
        }
    }

    /// Returns the sessions that should be named now, as they held others up.
    pub(crate) fn take_wanted(&mut self) -> Vec<Tid> {
        self.holders.take_wanted()
    }

    /// Returns the sums of a window from `start_ns` on; `None` without a statement, whole or in part.
    pub(crate) fn total(&self, start_ns: u64) -> Option<StatementStages> {
        let waits = self.waits.values().map(|sum| LongWaits {
            held_by: match sum.cause.wait.is_lock() {
                true => self.holders.of(sum.cause.wait, start_ns),
                false => Vec::new(),
            },
            ..sum.clone()
        });
        let mut waits: Vec<LongWaits> = waits.collect();
        waits.sort_by_key(|row| (Reverse(row.total), row.cause));
        let length = |part: Part| self.lengths[part as usize];
        let is_cut = self.cut.is_some_and(|cut| cut != CutStatements::default());
        (self.statements > 0 || is_cut).then(|| StatementStages {
            statements: self.statements,
            cut: self.cut,
            total: self.lengths.iter().sum(),
            before_commit: length(Part::BeforeCommit),
            commit: length(Part::Commit),
            after_commit: length(Part::AfterCommit),
            waited: waits.iter().map(|row| row.total).sum(),
            waits,
        })
    }
}
