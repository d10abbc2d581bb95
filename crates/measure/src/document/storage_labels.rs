//! Descriptions of a server's file systems for the document; pure.

use logtrace_report::document::{LoopImage, Placed};
use logtrace_server::{FileLocation, FileSystemFacts, HostFacts, PlacedOn, Placement};

/// Returns the image file that holds a file system, or `None` if it is on a disk.
pub(crate) fn image_of(file_system: &FileSystemFacts) -> Option<LoopImage> {
    let device = file_system.device.as_ref()?;
    let below = file_system.below.as_ref()?;
    Some(LoopImage {
        bytes: device.size_bytes?,
        direct_io: device.direct_io,
        file_system: below.kind.clone(),
        device: device_of(below),
    })
}

/// Returns the device of a file system; of overlayfs that of its upper layer.
pub(crate) fn device_of(file_system: &FileSystemFacts) -> String {
    if let ("overlay", Some(below)) = (file_system.kind.as_str(), &file_system.below) {
        return device_of(below);
    }
    file_system.source.clone().unwrap_or_else(|| "unknown".into())
}

/// Returns the rows of the document for placed files.
pub(crate) fn placement(placements: &[Placement], host: Option<&HostFacts>) -> Vec<Placed> {
    let placed = host.map_or(&[][..], |host| &host.placed);
    let rows = placed.iter().map(|placed| {
        let named = placements
            .iter()
            .find(|placement| placement.class == placed.class);
        let (file_system, device) = match placed.on {
            PlacedOn::DevNull => ("nothing".to_owned(), "/dev/null".to_owned()),
            PlacedOn::EmptiedFile => ("nothing".to_owned(), "emptied tmpfs file".to_owned()),
            PlacedOn::Tmpfs => ("tmpfs".to_owned(), "memory".to_owned()),
            PlacedOn::Directory | PlacedOn::Volume => {
                (placed.file_system.kind.clone(), device_of(&placed.file_system))
            }
        };
        Placed {
            class: placed.class,
            directory: named.map_or_else(String::new, |placement| location(&placement.place)),
            file_system,
            device,
        }
    });
    rows.collect()
}

fn location(place: &FileLocation) -> String {
    match place {
        FileLocation::Directory(path) => std::path::absolute(path)
            .unwrap_or_else(|_| path.clone())
            .display()
            .to_string(),
        other => other.to_string(),
    }
}
