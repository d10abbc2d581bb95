//! Why commits took their time: timelines of threads, causes, aggregates and the renderers of a run.
//!
//! Everything here is pure: no clock, no threads, no root, no server. The same code explains a live run, a recorded
//! run and a drawn test case. It depends on `logtrace-events` alone.

pub mod analysis;
mod attribution;
mod causes;
pub mod document;
pub mod render;
mod requests;
#[doc(hidden)]
pub mod synthetic;
mod timeline;
mod totals;
pub mod units;

pub use attribution::walk as explain;
pub use attribution::walk::memory;
pub use causes::cause;
pub use document::{consistency as check, distribution};
pub use timeline::threads as timelines;
pub use totals::breakdown;
