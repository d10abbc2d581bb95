//! Stacks of the server's functions at long waits, by id, with the reason of each.

use logtrace_events::Stack;
use rustc_hash::FxHashMap;

use crate::causes::server_rules::{ServerReason, server_reason};
use crate::timeline::query_horizon::Push;

/// Known stacks of the server.
#[derive(Debug, Default)]
pub(crate) struct ServerStacks {
    by_id: FxHashMap<u32, Known>,
}

#[derive(Debug)]
struct Known {
    frames: Vec<String>,
    reason: Option<ServerReason>,
}

impl ServerStacks {
    /// Adds a stack. Refuses it if its id already stands for other frames.
    pub(crate) fn push(&mut self, stack: Stack) -> Push {
        if let Some(known) = self.by_id.get(&stack.id) {
            return if known.frames == stack.frames {
                Push::Added
            } else {
                Push::Refused
            };
        }
        let reason = server_reason(&stack.frames);
        let frames = stack.frames;
        self.by_id.insert(stack.id, Known { frames, reason });
        Push::Revised
    }

    /// Returns the reason of a wait with this stack, if the stack shows one.
    pub(crate) fn reason(&self, id: u32) -> Option<&ServerReason> {
        self.by_id.get(&id)?.reason.as_ref()
    }

    /// Returns the frames, outermost first; none for a stack that is lost.
    pub(crate) fn frames(&self, id: u32) -> impl Iterator<Item = String> {
        let known = self.by_id.get(&id).into_iter();
        known.flat_map(|known| known.frames.iter().rev().cloned())
    }
}
