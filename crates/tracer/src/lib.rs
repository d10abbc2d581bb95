//! The eBPF side of logtrace: which probes there are, where they are placed, loading them, and draining their records.
//!
//! The kernel side (`bpf/`, C with CO-RE) timestamps and closes intervals of one server process. This crate hands the
//! records on as bytes, in the order of the ring; it knows nothing of causes.

mod account;
mod attachments;
mod batch;
mod bursts;
mod call_sites;
mod clock;
mod courtesy;
mod delivery;
mod detaching;
mod detail;
mod drain;
mod entry;
mod error;
mod extent;
mod kernel;
mod loader;
mod placement;
mod probes;
mod requirements;
mod ring_bytes;
mod rings;
mod stacks;
mod statistics;
mod symbols;
mod thread_states;
mod tracefs;
mod tracer;
mod watch;

pub use account::{Account, ProbeAccount};
pub use detaching::Detaching;
pub use detail::Detail;
pub use error::TracerError;
pub use extent::Extent;
pub use kernel::KernelRelease;
pub use placement::check_program;
pub use probes::{Attach, InBursts, PROBES, Probe, Servers};
pub use requirements::{Requirement, requirements};
pub use ring_bytes::RingBytes;
pub use tracer::{Sink, Stopped, Tracer, TracerConfig};
