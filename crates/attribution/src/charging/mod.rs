//! Attribution: segments of a commit and the cause of each segment.

pub(crate) mod cover;
pub(crate) mod explained_commit;
pub(crate) mod group_leader;
pub(crate) mod segment;
pub(crate) mod stack_index;
pub(crate) mod walk;
