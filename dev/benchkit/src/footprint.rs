//! Memory, descriptors, threads and BPF maps of a process.

use std::fs;

use anyhow::Context;
use procfs::process::Process;

/// Memory, descriptors, threads and BPF maps of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footprint {
    /// Resident anonymous memory in bytes: without the pages of files and rings.
    pub memory: f64,
    /// Open descriptors.
    pub descriptors: f64,
    /// Threads.
    pub threads: f64,
    /// BPF maps.
    pub maps: f64,
    /// Bytes of the kernel in these maps.
    pub map_bytes: f64,
}

/// Names of the numbers, in the order of [`Footprint::numbers`].
pub const NAMES: [&str; 5] = [
    "memory (bytes)",
    "descriptors",
    "threads",
    "BPF maps",
    "BPF maps (bytes)",
];

impl Footprint {
    /// Reads the numbers of a process now.
    pub fn of(pid: u32) -> anyhow::Result<Self> {
        let status = Process::new(i32::try_from(pid)?)?.status()?;
        let maps = map_bytes(pid)?;
        Ok(Self {
            memory: 1024.0 * status.rssanon.context("the kernel does not say RssAnon")? as f64,
            descriptors: fs::read_dir(format!("/proc/{pid}/fd"))?.count() as f64,
            threads: status.threads as f64,
            maps: maps.len() as f64,
            map_bytes: maps.iter().sum::<u64>() as f64,
        })
    }

    /// Returns all numbers.
    pub fn numbers(self) -> [f64; 5] {
        [
            self.memory,
            self.descriptors,
            self.threads,
            self.maps,
            self.map_bytes,
        ]
    }
}

/// Returns the bytes of each BPF map that a process holds (`memlock` in its fdinfo, proc(5)).
fn map_bytes(pid: u32) -> anyhow::Result<Vec<u64>> {
    let entries = fs::read_dir(format!("/proc/{pid}/fdinfo"))?.flatten();
    let infos = entries.filter_map(|entry| fs::read_to_string(entry.path()).ok());
    Ok(infos.filter_map(|info| bytes_of_map(&info)).collect())
}

fn bytes_of_map(info: &str) -> Option<u64> {
    let value = |name: &str| info.lines().find_map(|line| line.strip_prefix(name));
    value("map_type:")?;
    value("memlock:")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_known_by_its_type() {
        let map = "pos:\t0\nmap_type:\t27\nmax_entries:\t4096\nmemlock:\t8392\n";
        assert_eq!(bytes_of_map(map), Some(8392));
        assert_eq!(bytes_of_map("pos:\t0\nprog_type:\t5\nmemlock:\t4096\n"), None);
    }

    #[test]
    fn threads_and_descriptors_of_this_process_are_counted() {
        let pid = std::process::id();
        let before = Footprint::of(pid).unwrap();
        let files: Vec<_> = (0..50).map(|_| fs::File::open("/dev/null").unwrap()).collect();
        let after = Footprint::of(pid).unwrap();
        assert!(
            after.descriptors >= before.descriptors + 40.0,
            "{before:?} {after:?}"
        );
        assert!(after.threads >= 1.0 && after.memory > 0.0);
        drop(files);
    }
}
