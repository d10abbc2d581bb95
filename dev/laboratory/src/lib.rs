//! Known amounts of known causes, put into real servers, and found in logtrace's reports.
//!
//! - [`slow_disk`], [`loop_disk`]: a file system and a device whose calls take a known time longer.
//! - [`foreign`]: a server that is not logtrace's own; [`probes_in_code`]: what a tracer puts into its code.
//! - [`network`]: machines with links whose frames take a known time longer.
//! - [`replication`], [`semisync_pair`]: two of them, one of which follows the other.
//! - [`load`]: statements, timed by the client's clock.
//! - [`cgroup`], [`kernel_clock`], [`guard`]: limits, the kernel's own counts, and changes that are taken back.
//! - [`traced`]: one trace.
//! - [`experiment`], [`experiments`]: the causes.
//! - [`comparison`]: what was put in and what reports gain.
//! - [`table`]: the results.
#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be made fails the test or the experiment, with the error as its reason"
)]

pub mod cgroup;
pub mod comparison;
pub mod experiment;
pub mod experiments;
pub mod foreign;
pub mod guard;
pub mod kernel_clock;
pub mod load;
pub mod loop_disk;
pub mod network;
pub mod probes_in_code;
pub mod replication;
pub mod semisync_pair;
pub mod slow_disk;
pub mod table;
pub mod traced;
