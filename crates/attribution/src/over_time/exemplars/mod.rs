//! Commits that stand for others: the slowest, typical ones of each band of durations, and those of stalls.

mod captured;
mod choices;
pub(crate) mod document;
mod named;
mod slowest;
mod stalled;
mod typical;

pub(crate) use self::captured::Explained;
pub(super) use self::choices::Choices;
