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
