//! Machine of the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Machine of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// Release of the kernel.
    pub kernel: String,
    /// Model of the CPUs.
    pub cpu_model: String,
    /// CPUs that are online.
    pub cpus: u32,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Disks with files of the server.
    pub disks: Vec<Disk>,
}

/// Disk with files of the server. `unknown` or 0 where sysfs does not say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disk {
    /// Name of the whole disk, such as `vda`.
    pub name: String,
    /// `major:minor`, as in [`DeviceRow`](crate::document::DeviceRow).
    pub number: String,
    /// Name of the device above, if this disk is a part of a mirror, a stripe, or an encrypted or mapped device.
    pub leg_of: Option<String>,
    /// I/O scheduler.
    pub scheduler: String,
    /// `write back` if the disk has a volatile cache that must be flushed, else `write through`.
    pub write_cache: String,
    /// Whether the disk can force a single write without a flush (FUA).
    pub fua: bool,
    /// Whether the disk rotates.
    pub rotational: bool,
    /// Hardware queues. Flushes of a disk with one queue wait for each other.
    pub hardware_queues: u32,
}
