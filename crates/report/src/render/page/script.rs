//! Script of pages.

/// Function `duration` of the scripts of all pages, which formats nanoseconds.
pub const DURATION: &str = include_str!("../../../page/duration.js");
