//! Why commits took their time: timelines of threads, causes, aggregates and the renderers of a run.
//!
//! Everything here is pure: no clock, no threads, no root, no server. The same code explains a live run, a recorded
//! run and a drawn test case. It depends on `logtrace-events` alone.

mod aggregate;
pub mod analysis;
mod asked;
mod assemble;
mod blanks;
mod blocked;
pub mod breakdown;
pub mod cause;
pub mod check;
mod devices;
pub mod distribution;
pub mod document;
mod durations;
pub mod explain;
mod files;
mod flushes;
mod folded;
mod gaps;
mod group_totals;
mod groups;
mod history;
mod late;
pub mod memory;
mod parts;
mod recall;
pub mod render;
mod response;
#[doc(hidden)]
pub mod sample;
mod slowest;
mod stack_rules;
mod stacks;
mod stated;
mod statements;
mod tenths;
mod timeline;
pub mod timelines;
pub mod units;
mod visit;
pub mod window;
