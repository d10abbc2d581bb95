//! Why commits took their time: timelines of threads, causes, aggregates and the renderers of a run.
//!
//! Everything here is pure: no clock, no threads, no root, no server. The same code explains a live run, a recorded
//! run and a drawn test case. It depends on `logtrace-events` alone.

pub mod breakdown;
pub mod cause;
pub mod distribution;
pub mod document;
