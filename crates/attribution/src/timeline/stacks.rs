//! Stacks by id, each with its meaning.

use logtrace_events::Stack;
use rustc_hash::FxHashMap;

use crate::timeline::query_horizon::Push;

/// Known stacks.
#[derive(Debug)]
pub(crate) struct Stacks<M> {
    by_id: FxHashMap<u32, KnownStack<M>>,
}

#[derive(Debug)]
struct KnownStack<M> {
    frames: Vec<String>,
    meaning: M,
}

impl<M> Default for Stacks<M> {
    fn default() -> Self {
        Self {
            by_id: FxHashMap::default(),
        }
    }
}

impl<M> Stacks<M> {
    /// Adds a stack, with its meaning by `meaning_of`. Refuses it if its id already stands for other frames. Queries about
    /// waits with a new stack may have been answered before.
    pub(crate) fn push(&mut self, stack: Stack, meaning_of: impl FnOnce(&[String]) -> M) -> Push {
        if let Some(known) = self.by_id.get(&stack.id) {
            return if known.frames == stack.frames {
                Push::Added
            } else {
                Push::Refused
            };
        }
        let meaning = meaning_of(&stack.frames);
        let frames = stack.frames;
        self.by_id.insert(stack.id, KnownStack { frames, meaning });
        Push::Revised
    }

    /// Returns the meaning of a stack; none if it is lost.
    pub(crate) fn meaning(&self, id: u32) -> Option<&M> {
        self.by_id.get(&id).map(|known| &known.meaning)
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
        let mut push = |frames: &[&str]| stacks.push(stack(1, frames), <[String]>::len);
        assert_eq!(push(&["jbd2_log_wait_commit"]), Push::Revised);
        assert_eq!(push(&["jbd2_log_wait_commit"]), Push::Added);
        assert_eq!(push(&["blkdev_issue_flush", "do_fsync"]), Push::Refused);
        assert_eq!(stacks.meaning(1), Some(&1));
    }

    #[test]
    fn a_lost_stack_has_no_meaning_and_no_frames() {
        let stacks = Stacks::<usize>::default();
        assert_eq!(stacks.meaning(3), None);
        assert_eq!(stacks.frames(3).next(), None);
    }
}
