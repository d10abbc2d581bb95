//! Kernel stacks of blocks, by id, with the wait of each.

use logtrace_events::Stack;
use rustc_hash::FxHashMap;

use crate::causes::cause::Wait;
use crate::causes::stack_rules::wait_of;
use crate::timeline::query_horizon::Push;

/// Known kernel stacks.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    by_id: FxHashMap<u32, Known>,
}

#[derive(Debug)]
struct Known {
    frames: Vec<String>,
    wait: Wait,
}

impl Stacks {
    /// Adds a stack. Refuses it if its id already stands for other frames. Queries about blocks with a new stack may have
    /// been answered before.
    pub(crate) fn push(&mut self, stack: Stack) -> Push {
        if let Some(known) = self.by_id.get(&stack.id) {
            return if known.frames == stack.frames {
                Push::Added
            } else {
                Push::Refused
            };
        }
        let wait = wait_of(&stack.frames).unwrap_or(Wait::Unclassified);
        let frames = stack.frames;
        self.by_id.insert(stack.id, Known { frames, wait });
        Push::Revised
    }

    /// Returns the wait of a block with this stack.
    pub(crate) fn wait(&self, id: Option<u32>) -> Wait {
        let known = id.and_then(|id| self.by_id.get(&id));
        known.map_or(Wait::Unclassified, |known| known.wait)
    }

    /// Returns the frames, outermost first; none for a stack that is lost.
    pub(crate) fn frames(&self, id: u32) -> impl Iterator<Item = String> {
        let known = self.by_id.get(&id).into_iter();
        known.flat_map(|known| known.frames.iter().rev().cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(id: u32, frames: &[&str]) -> Stack {
        Stack {
            id,
            frames: frames.iter().map(|&frame| frame.to_owned()).collect(),
        }
    }

    #[test]
    fn a_stack_may_be_repeated_and_not_replaced() {
        let mut stacks = Stacks::default();
        for expected in [Push::Revised, Push::Added] {
            assert_eq!(stacks.push(stack(1, &["jbd2_log_wait_commit"])), expected);
        }
        assert_eq!(stacks.push(stack(1, &["blkdev_issue_flush"])), Push::Refused);
        assert_eq!(stacks.wait(Some(1)), Wait::JournalCommit);
    }

    #[test]
    fn a_stack_that_is_lost_unknown_or_was_not_taken_is_unclassified() {
        let mut stacks = Stacks::default();
        stacks.push(stack(2, &["some_driver_wait", "vfs_write"]));
        assert_eq!(stacks.wait(Some(2)), Wait::Unclassified);
        assert_eq!(stacks.wait(Some(3)), Wait::Unclassified);
        assert_eq!(stacks.wait(None), Wait::Unclassified);
        assert_eq!(stacks.frames(3).next(), None);
    }
}
