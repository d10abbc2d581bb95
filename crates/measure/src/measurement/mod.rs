//! Parts of every measurement of a server, whoever makes the load: tracing it, and telling what it is and how far it is.

mod clocks;
mod cpu_columns;
mod cpu_sampler;
pub(crate) mod explainer;
mod live;
mod namer;
mod progress;
mod server_snapshot;
mod signals;
mod tracing;
mod window_signal;

pub use logtrace_tracer::{CpuTimes, Detaching};

pub use clocks::clocks_now;
pub use cpu_sampler::CpuSampler;
pub use live::{ANSWER_TIME, Live};
pub(crate) use namer::{Answer, NamedThreads, Namer};
pub use progress::Line;
pub use server_snapshot::{ServerSnapshot, StatusAtStart};
pub use signals::{Interrupted, Signals};
pub(crate) use tracing::Traced;
pub use tracing::{Tracing, TracingConfig};
pub use window_signal::WindowSignal;
