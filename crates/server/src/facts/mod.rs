//! Facts of the server and of the machine, which `host.json` and `server.json` hold.

pub(crate) mod block_device;
pub(crate) mod container;
pub(crate) mod cpu_time;
pub(crate) mod file_system;
pub(crate) mod placed;
pub(crate) mod process_groups;
pub(crate) mod server;
pub(crate) mod sessions;
pub(crate) mod stage_times;
mod statement_digest;
pub(crate) mod thread_names;

use std::path::Path;

use anyhow::Context;
use procfs::{CpuInfo, Current, Meminfo};
use serde::Serialize;

use crate::error::ServerError;
use crate::facts::file_system::FileSystemFacts;
use crate::facts::placed::{PlacedClass, PlacedOn};
use logtrace_common::FileClass;

/// Machine that a run was on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostFacts {
    /// Release of the running kernel.
    pub kernel: String,
    /// Model of the first CPU.
    pub cpu_model: Option<String>,
    /// CPUs that are online.
    pub cpus: usize,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// File systems of the server's directories, each once.
    pub file_systems: Vec<FileSystemFacts>,
    /// Classes of files that are placed elsewhere, with the file system of each.
    pub placed: Vec<PlacedFacts>,
}

/// Location of one class of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlacedFacts {
    /// Class of the files.
    pub class: FileClass,
    /// Kind of the directory. Writes to `/dev/null` and to an emptied file are discarded.
    pub on: PlacedOn,
    /// File system of the directory.
    pub file_system: FileSystemFacts,
}

/// Message if `/proc` cannot be read.
const UNREADABLE: &str = "cannot read CPUs and memory from /proc";

impl HostFacts {
    /// Reads the facts of the machine and of the file systems of `paths` and `placed`, which exist.
    pub fn collect(paths: &[&Path], placed: &[PlacedClass]) -> Result<Self, ServerError> {
        let cpus = CpuInfo::current().context(UNREADABLE)?;
        let mut file_systems: Vec<FileSystemFacts> = Vec::new();
        for path in paths {
            let facts = FileSystemFacts::of(path)?;
            if !file_systems
                .iter()
                .any(|known| known.mount_point == facts.mount_point)
            {
                file_systems.push(facts);
            }
        }
        Ok(Self {
            kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
            cpu_model: cpus.model_name(0).map(str::to_owned),
            cpus: cpus.num_cores(),
            memory_bytes: memory_bytes()?,
            file_systems,
            placed: placed
                .iter()
                .map(|placed| {
                    Ok(PlacedFacts {
                        class: placed.class,
                        on: placed.on,
                        file_system: FileSystemFacts::of(&placed.directory)?,
                    })
                })
                .collect::<Result<_, ServerError>>()?,
        })
    }
}

/// Returns the bytes of memory of this machine.
pub fn memory_bytes() -> anyhow::Result<u64> {
    Ok(Meminfo::current().context(UNREADABLE)?.mem_total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_described() {
        let placed = PlacedClass {
            class: FileClass::Redo,
            directory: "/proc".into(),
            on: PlacedOn::DevNull,
        };
        let host =
            HostFacts::collect(&[Path::new("/"), Path::new("/proc"), Path::new("/")], &[placed]).unwrap();
        assert_eq!(host.file_systems.len(), 2);
        assert!(host.cpus > 0 && host.memory_bytes > 1 << 20);
        assert!(host.kernel.contains('.'), "{}", host.kernel);
        let json = serde_json::to_value(&host).unwrap();
        assert_eq!(json["file_systems"][1]["kind"], "proc");
        assert_eq!(json["placed"][0]["class"], "redo");
        assert_eq!(json["placed"][0]["on"], "dev_null");
        assert_eq!(json["placed"][0]["file_system"]["kind"], "proc");
    }
}
