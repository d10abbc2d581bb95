//! The eBPF side of logtrace: which probes there are, where they are placed, loading them, and draining their records.
//!
//! The kernel side (`bpf/`, C with CO-RE) timestamps and closes intervals of one server process. This crate hands the
//! records on as bytes, in the order of the ring; it knows nothing of causes.

mod clock;
mod config;
mod error;
#[cfg(test)]
mod fuzz;
mod kernel_release;
mod kernel_side;
mod overhead;
mod probes;
mod reader;
#[cfg(test)]
mod relocation;
mod requirements;
mod rights;
mod ring_bytes;
mod sink;
#[cfg(test)]
mod stack_depth;
mod stacks;
mod surroundings;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
mod symbols;
mod tracefs;
mod tracer;

pub use config::{Extent, Patience, TracerConfig};
pub use error::TracerError;
pub use kernel_release::KernelRelease;
pub use overhead::cost::Estimate;
pub use overhead::cpu_times::CpuTimes;
pub use overhead::{Account, ProbeAccount};
pub use probes::attach_points::check_program;
pub use probes::detaching::Detaching;
pub use probes::probe::{Attach, InBursts, Kernels, Probe, Servers};
pub use probes::table::PROBES;
pub use reader::Stopped;
pub use requirements::{Requirement, requirements, tracing_rights};
pub use rights::{Right, give_up_rights};
pub use ring_bytes::RingBytes;
pub use sink::Sink;
pub use stacks::function_names::function_names;
pub use tracer::Tracer;
