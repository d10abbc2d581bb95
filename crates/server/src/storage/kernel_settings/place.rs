//! Places of kernel settings: the queue of a disk, and the parameters of `sysctl`.

use std::fmt;
use std::path::{Path, PathBuf};

/// Place of kernel settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelPlace {
    /// Queue of a whole disk, such as `vda` (`/sys/block/DISK/queue`).
    Queue(String),
    /// Parameters of the whole machine (`/proc/sys`).
    Sysctl,
}

/// Start of the name of a queue's note, before the name of the disk.
const QUEUE_NOTE: &str = "queue-";
/// Name of the note of the parameters.
const SYSCTL_NOTE: &str = "sysctl";

/// Settings of a queue that may be changed: they decide how writes are ordered, cached and split, and can be restored
/// (Documentation/ABI/stable/sysfs-block).
const OF_QUEUES: [&str; 10] = [
    "iostats",
    "max_sectors_kb",
    "nomerges",
    "nr_requests",
    "read_ahead_kb",
    "rotational",
    "rq_affinity",
    "scheduler",
    "wbt_lat_usec",
    "write_cache",
];

/// Parameters that may be changed: they decide when the kernel writes dirty pages, and can be restored
/// (Documentation/admin-guide/sysctl/vm.rst).
const OF_SYSCTL: [&str; 7] = [
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.swappiness",
];

/// Parameters of which one is 0 while the other one counts. The kernel refuses to set 0. Setting the one that counts makes
/// the other one 0 again (`dirty_ratio_handler()`, mm/page-writeback.c), so it alone is noted.
const EITHER: [(&str, &str); 2] = [
    ("vm.dirty_bytes", "vm.dirty_ratio"),
    ("vm.dirty_background_bytes", "vm.dirty_background_ratio"),
];

impl KernelPlace {
    /// Returns the place of a note with this name, if it is one.
    pub(super) fn of_note(name: &str) -> Option<Self> {
        match name.strip_prefix(QUEUE_NOTE) {
            Some(disk) => Some(Self::Queue(disk.to_owned())),
            None => (name == SYSCTL_NOTE).then_some(Self::Sysctl),
        }
    }

    /// Returns the name of the note.
    pub(super) fn note(&self) -> String {
        match self {
            Self::Queue(disk) => format!("{QUEUE_NOTE}{disk}"),
            Self::Sysctl => SYSCTL_NOTE.to_owned(),
        }
    }

    /// Returns the settings that may be changed.
    pub(super) fn known(&self) -> &'static [&'static str] {
        match self {
            Self::Queue(_) => &OF_QUEUES,
            Self::Sysctl => &OF_SYSCTL,
        }
    }

    /// Returns the file of a setting below the root of a file system.
    pub(super) fn file(&self, root: &Path, name: &str) -> PathBuf {
        let directory = self.directory(root);
        match self {
            Self::Queue(_) => directory.join(name),
            Self::Sysctl => directory.join(name.replace('.', "/")),
        }
    }

    /// Returns the directory of the settings below the root of a file system.
    pub(super) fn directory(&self, root: &Path) -> PathBuf {
        match self {
            Self::Queue(disk) => root.join("sys/block").join(disk).join("queue"),
            Self::Sysctl => root.join("proc/sys"),
        }
    }

    /// Returns the setting that counts while this one is 0, if there is one.
    pub(super) fn other(&self, name: &str) -> Option<&'static str> {
        let either = |&(one, other): &(&'static str, &'static str)| match name {
            _ if name == one => Some(other),
            _ if name == other => Some(one),
            _ => None,
        };
        match self {
            Self::Queue(_) => None,
            Self::Sysctl => EITHER.iter().find_map(either),
        }
    }
}

impl fmt::Display for KernelPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Queue(disk) => write!(f, "the queue of {disk}"),
            Self::Sysctl => f.write_str("the kernel's parameters"),
        }
    }
}
