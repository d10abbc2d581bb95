//! Machine of the server, for the document; pure.

use logtrace_report::document::{Disk, Host};
use logtrace_server::{BlockDeviceFacts, FileSystemFacts, HostFacts};

/// Word for what the kernel does not say.
const UNKNOWN: &str = "unknown";

/// Returns the machine with the disks of the server's files, each once.
pub(crate) fn host(facts: &HostFacts) -> Host {
    let placed = facts.placed.iter().map(|placed| &placed.file_system);
    let mut disks: Vec<Disk> = Vec::new();
    for device in facts.file_systems.iter().chain(placed).flat_map(devices) {
        add(&mut disks, device, None);
    }
    Host {
        kernel: facts.kernel.clone(),
        cpu_model: facts.cpu_model.clone().unwrap_or_else(|| UNKNOWN.into()),
        cpus: u32::try_from(facts.cpus).unwrap_or(u32::MAX),
        memory_bytes: facts.memory_bytes,
        disks,
    }
}

/// Returns the disk of a file system, and the disk below if that is an image file.
fn devices(file_system: &FileSystemFacts) -> impl Iterator<Item = &BlockDeviceFacts> {
    let below = file_system.below.iter().filter_map(|below| below.device.as_ref());
    file_system.device.iter().chain(below)
}

/// Adds a disk and the disks below, each once.
fn add(disks: &mut Vec<Disk>, device: &BlockDeviceFacts, above: Option<&str>) {
    if disks.iter().all(|known| known.name != device.disk) {
        disks.push(disk(device, above));
    }
    for leg in &device.legs {
        add(disks, leg, Some(&device.disk));
    }
}

fn disk(facts: &BlockDeviceFacts, above: Option<&str>) -> Disk {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| UNKNOWN.into());
    Disk {
        name: facts.disk.clone(),
        number: text(&facts.disk_number),
        leg_of: above.map(str::to_owned),
        scheduler: text(&facts.scheduler),
        write_cache: text(&facts.write_cache),
        fua: facts.fua == Some(true),
        rotational: facts.rotational == Some(true),
        hardware_queues: facts.hardware_queues,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn device(disk: &str, legs: Vec<BlockDeviceFacts>) -> BlockDeviceFacts {
        BlockDeviceFacts {
            disk: disk.to_owned(),
            disk_number: None,
            number: "8:1".to_owned(),
            size_bytes: None,
            scheduler: Some("none".to_owned()),
            write_cache: None,
            fua: None,
            rotational: Some(true),
            hardware_queues: 2,
            backing_file: None,
            direct_io: None,
            legs,
        }
    }

    fn file_system(device: Option<BlockDeviceFacts>, below: Option<FileSystemFacts>) -> FileSystemFacts {
        FileSystemFacts {
            path: PathBuf::from("/data"),
            mount_point: PathBuf::from("/"),
            kind: "ext4".to_owned(),
            options: Vec::new(),
            source: None,
            device,
            free_bytes: 0,
            below: below.map(Box::new),
        }
    }

    #[test]
    fn each_disk_is_there_once_with_those_below_it() {
        let mirror = || device("md0", vec![device("vda", Vec::new()), device("vdb", Vec::new())]);
        let below = file_system(Some(device("vdc", Vec::new())), None);
        let image = file_system(Some(device("loop0", Vec::new())), Some(below));
        let facts = HostFacts {
            kernel: "6.12".to_owned(),
            cpu_model: None,
            cpus: 2,
            memory_bytes: 1 << 30,
            file_systems: vec![
                file_system(Some(mirror()), None),
                file_system(Some(mirror()), None),
                image,
            ],
            placed: Vec::new(),
        };
        let host = host(&facts);
        let disks: Vec<(&str, Option<&str>)> = host
            .disks
            .iter()
            .map(|disk| (disk.name.as_str(), disk.leg_of.as_deref()))
            .collect();
        let expected = [
            ("md0", None),
            ("vda", Some("md0")),
            ("vdb", Some("md0")),
            ("loop0", None),
            ("vdc", None),
        ];
        assert_eq!(disks, expected);
        let disk = &host.disks[0];
        assert_eq!(
            (disk.scheduler.as_str(), disk.write_cache.as_str()),
            ("none", UNKNOWN)
        );
        assert_eq!(
            (disk.fua, disk.rotational, disk.hardware_queues),
            (false, true, 2)
        );
        assert_eq!((host.cpu_model.as_str(), host.cpus), (UNKNOWN, 2));
    }
}
