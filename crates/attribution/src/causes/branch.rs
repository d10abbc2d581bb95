//! First level of the tree of commit time: the class of each cause.

use std::collections::BTreeMap;
use std::fmt;

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use serde::Serialize;

use crate::causes::kind::WaitKind;
use crate::causes::{Cause, Wait};

/// First level of a tree: a file, or for time outside of calls on files the kind of wait. What is unexplained is a branch of its
/// own, wherever it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Branch {
    /// Calls on files of a class.
    File(FileClass),
    /// Waits of a kind outside of calls on files.
    Kind(WaitKind),
}

impl Cause {
    /// Returns the branch of the tree that has the cause.
    pub fn branch(self) -> Branch {
        match (self.wait.kind(), self.io) {
            (kind @ WaitKind::Unexplained, _) | (kind, None) => Branch::Kind(kind),
            (_, Some((class, _))) => Branch::File(class),
        }
    }
}

/// Parts of a branch: by the call on the file, and in it by wait. Time outside of calls on files has no call.
pub type BranchParts<T> = BTreeMap<Option<IoOp>, BTreeMap<Wait, T>>;

/// Sorts what belongs to causes into the tree of commit time: branch, call, wait. `add` puts together what has the same place.
pub fn by_branch<T: Default, U>(
    items: impl IntoIterator<Item = (Cause, U)>,
    add: impl Fn(&mut T, U),
) -> BTreeMap<Branch, BranchParts<T>> {
    let mut branches = BTreeMap::<Branch, BranchParts<T>>::new();
    for (cause, item) in items {
        let branch = cause.branch();
        let op = match branch {
            Branch::File(_) => cause.io.map(|(_, op)| op),
            Branch::Kind(_) => None,
        };
        let waits = branches.entry(branch).or_default().entry(op).or_default();
        add(waits.entry(cause.wait).or_default(), item);
    }
    branches
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(class) => class.fmt(f),
            Self::Kind(kind) => kind.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_on_a_file_is_of_the_file_and_unexplained_time_of_none() {
        let io = Some((FileClass::Redo, IoOp::Fsync));
        let of = |io, wait| {
            Cause {
                io,
                ..Cause::own(wait)
            }
            .branch()
        };
        assert_eq!(of(io, Wait::RunQueue), Branch::File(FileClass::Redo));
        assert_eq!(of(None, Wait::RunQueue), Branch::Kind(WaitKind::Scheduling));
        assert_eq!(of(io, Wait::Unexplained), Branch::Kind(WaitKind::Unexplained));
    }
}
