//! How much is traced, and how much of the time.

use std::fmt;

use logtrace_events::Sampling;

use crate::detail::Detail;

/// What a tracer is asked to see. By default everything that usually matters, all the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// How much is seen of a commit.
    pub detail: Detail,
    /// The share of the time in which anything is seen.
    pub sampling: Sampling,
}

/// As it is typed.
impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { detail, sampling } = self;
        if sampling.has_gaps() {
            f.pad(&format!("--detail {detail} --sample {sampling}"))
        } else {
            f.pad(&format!("--detail {detail}"))
        }
    }
}
