//! Parts of every measurement of a server, whoever makes the load: tracing it, telling what it is, and writing what was
//! seen.

pub mod caveat;
mod clocks;
mod cpu_columns;
mod cpu_sampler;
mod document;
mod explainer;
mod host;
mod live;
mod outputs;
mod progress;
mod server_snapshot;
mod signals;
mod storage_labels;
mod tracing;
mod window_signal;

pub use logtrace_tracer::{CpuTimes, Detaching};

pub use clocks::clocks_now;
pub use cpu_sampler::CpuSampler;
pub use document::{Results, document};
pub use live::{ANSWER_TIME, Live};
pub use outputs::{Outputs, discard};
pub use progress::Line;
pub use server_snapshot::{ServerSnapshot, StatusAtStart};
pub use signals::{Interrupted, Signals};
pub use storage_labels::placement;
pub use tracing::{Tracing, TracingConfig};
pub use window_signal::WindowSignal;
