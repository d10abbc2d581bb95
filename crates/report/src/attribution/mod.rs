//! Attribution: the segments of a commit and the cause of each.

pub(crate) mod group_leader;
pub mod walk;
