//! Totals by stack: role of the thread, file and operation, wait, and the kernel's functions down to the block.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::causes::{Cause, Wait};
use crate::requests::part::Part;
use crate::timeline::frames::{Below, FrameNames, Frames};

/// Time that is split by stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Whole {
    /// Time of commits.
    Commit,
    /// Response times, from the client over the commit to its causes.
    Response,
    /// Time of statements outside their commits.
    Statement,
}

/// Time by stack for each [`Whole`], without the frame of the whole; empty if it was not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackTotals {
    /// Stacks of the commits.
    pub commit: Vec<StackTotal>,
    /// Stacks of the response times; the outermost frames are those of [`Part`].
    pub response: Vec<StackTotal>,
    /// Stacks of the statements outside their commits.
    pub statement: Vec<StackTotal>,
}

/// Time of one stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StackTotal {
    /// Frames, outermost first.
    pub frames: Vec<String>,
    /// Nanoseconds.
    #[serde(rename = "total")]
    pub total_ns: u64,
}

impl Whole {
    /// Variants in the order of reports.
    pub const ALL: [Self; 3] = [Self::Commit, Self::Response, Self::Statement];

    /// Returns the word for the outermost frame.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl StackTotals {
    /// Returns the stacks of `whole`.
    pub fn of(&self, whole: Whole) -> &[StackTotal] {
        match whole {
            Whole::Commit => &self.commit,
            Whole::Response => &self.response,
            Whole::Statement => &self.statement,
        }
    }

    /// Returns the stacks of `whole` for changes.
    pub fn of_mut(&mut self, whole: Whole) -> &mut Vec<StackTotal> {
        match whole {
            Whole::Commit => &mut self.commit,
            Whole::Response => &mut self.response,
            Whole::Statement => &mut self.statement,
        }
    }
}

/// Frame of a block with no kernel stack, because it was not taken or is lost.
const NO_STACK: &str = "(no kernel stack)";

/// Returns the stacks of all causes, with frames from the outermost, the largest first.
pub(crate) fn folded(
    by_stack: impl Iterator<Item = (Cause, Option<impl Into<Below>>, u64)>,
    names: &FrameNames,
) -> Vec<StackTotal> {
    summed(by_stack.map(|(cause, stack, total_ns)| {
        let frames = cause_frames(cause).chain(names.names_below(stack));
        (frames.collect(), total_ns)
    }))
}

/// Returns the stacks of the parts of response times in the order of time. Below each part are the stacks of its causes,
/// if they are known, ordered by their frames.
pub(crate) fn folded_parts(
    by_stack: impl Iterator<Item = (Part, Option<Cause>, Option<Frames>, u64)>,
    names: &FrameNames,
) -> Vec<StackTotal> {
    let mut sums: BTreeMap<(Part, Vec<String>), u64> = BTreeMap::new();
    for (part, cause, stack, total_ns) in by_stack {
        let outermost = [part.as_str().to_owned()].into_iter();
        let frames = outermost.chain(cause.into_iter().flat_map(cause_frames));
        let frames = frames.chain(names.names(stack)).collect();
        *sums.entry((part, frames)).or_default() += total_ns;
    }
    sums.into_iter()
        .map(|((_, frames), total_ns)| StackTotal { frames, total_ns })
        .collect()
}

/// Returns the kernel stacks that no rule recognises, with frames from the outermost, the largest first.
pub(crate) fn unclassified(
    by_stack: impl Iterator<Item = (Cause, Option<impl Into<Below>>, u64)>,
    names: &FrameNames,
) -> Vec<StackTotal> {
    let unclassified = by_stack.filter(|(cause, ..)| cause.wait == Wait::Unclassified);
    summed(unclassified.map(|(_, stack, total_ns)| {
        let mut frames = names.names_below(stack);
        if frames.is_empty() {
            frames.push(NO_STACK.to_owned());
        }
        (frames, total_ns)
    }))
}

fn cause_frames(cause: Cause) -> impl Iterator<Item = String> {
    let io = cause.io.map(|(class, op)| format!("{class} {op}"));
    let who = cause.who.to_string();
    let wait = cause.wait.to_string();
    [Some(who), io, Some(wait)].into_iter().flatten()
}

/// Sums up equal stacks: two ids may stand for the same names.
fn summed(stacks: impl Iterator<Item = (Vec<String>, u64)>) -> Vec<StackTotal> {
    let mut sums: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for (frames, total_ns) in stacks {
        *sums.entry(frames).or_default() += total_ns;
    }
    let mut totals: Vec<StackTotal> = sums
        .into_iter()
        .map(|(frames, total_ns)| StackTotal { frames, total_ns })
        .collect();
    totals.sort_by_key(|total| std::cmp::Reverse(total.total_ns));
    totals
}

#[cfg(test)]
mod tests {
    use logtrace_common::FileClass;
    use logtrace_events::{IoOp, Stack};

    use crate::causes::Who;

    use super::*;

    fn stacks() -> FrameNames {
        let mut names = FrameNames::default();
        for (id, innermost) in [
            (1, "jbd2_log_wait_commit"),
            (2, "jbd2_log_wait_commit"),
            (3, "new_wait"),
        ] {
            let frames = vec![innermost.to_owned(), "do_fsync".to_owned()];
            names.push_kernel(Stack { id, frames });
        }
        names
    }

    fn in_fsync(wait: Wait) -> Cause {
        Cause {
            who: Who::Leader,
            io: Some((FileClass::Binlog, IoOp::Fsync)),
            wait,
        }
    }

    fn lines(totals: &[StackTotal]) -> Vec<String> {
        totals
            .iter()
            .map(|total| format!("{} {}", total.frames.join(";"), total.total_ns))
            .collect()
    }

    #[test]
    fn frames_go_from_whose_work_down_to_the_block_and_equal_stacks_are_one() {
        let charged = [
            (in_fsync(Wait::JournalCommit), Some(Frames::Kernel(1)), 10),
            (in_fsync(Wait::JournalCommit), Some(Frames::Kernel(2)), 20),
            (in_fsync(Wait::OnCpu), None, 5),
            (Cause::UNEXPLAINED, None, 1),
        ];
        assert_eq!(
            lines(&folded(charged.into_iter(), &stacks())),
            [
                "leader;binlog fsync;journal commit;do_fsync;jbd2_log_wait_commit 30",
                "leader;binlog fsync;on CPU 5",
                "own;unexplained 1",
            ]
        );
    }

    #[test]
    fn parts_of_a_response_come_in_the_order_of_time_with_their_causes_below() {
        let charged = [
            (Part::AfterCommit, None, None, 4),
            (Part::Commit, Some(Cause::UNEXPLAINED), None, 1),
            (
                Part::Commit,
                Some(in_fsync(Wait::JournalCommit)),
                Some(Frames::Kernel(1)),
                10,
            ),
            (
                Part::Commit,
                Some(in_fsync(Wait::JournalCommit)),
                Some(Frames::Kernel(2)),
                20,
            ),
            (Part::Lag, None, None, 3),
        ];
        assert_eq!(
            lines(&folded_parts(charged.into_iter(), &stacks())),
            [
                "lag 3",
                "commit;leader;binlog fsync;journal commit;do_fsync;jbd2_log_wait_commit 30",
                "commit;own;unexplained 1",
                "server after commit 4",
            ]
        );
    }

    #[test]
    fn unclassified_stacks_stand_alone() {
        let charged = [
            (in_fsync(Wait::Unclassified), Some(Frames::Kernel(3)), 7),
            (in_fsync(Wait::Unclassified), None, 9),
            (in_fsync(Wait::JournalCommit), Some(Frames::Kernel(1)), 10),
        ];
        assert_eq!(
            lines(&unclassified(charged.into_iter(), &stacks())),
            ["(no kernel stack) 9", "do_fsync;new_wait 7"]
        );
    }
}
