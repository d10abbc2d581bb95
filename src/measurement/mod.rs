//! What every measurement of a server has in common, whoever makes the load: tracing it, telling what it is, and
//! writing what was seen.

pub(crate) mod caveat;
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

pub(crate) use clocks::clocks_now;
pub(crate) use cpu_sampler::CpuSampler;
pub(crate) use document::{Results, document};
pub(crate) use live::{ANSWER_TIME, Live};
pub(crate) use outputs::{Outputs, discard};
pub(crate) use progress::Line;
pub(crate) use server_snapshot::{ServerSnapshot, StatusAtStart};
pub(crate) use signals::{Interrupted, Signals};
pub(crate) use storage_labels::placement;
pub(crate) use tracing::{Tracing, TracingConfig};
pub(crate) use window_signal::WindowSignal;
