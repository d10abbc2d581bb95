//! Descriptions of a server's file systems for the document; pure.

use logtrace_report::document::LoopImage;
use logtrace_server::FileSystemFacts;

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

/// Returns the device of a file system.
pub(crate) fn device_of(file_system: &FileSystemFacts) -> String {
    file_system.source.clone().unwrap_or_else(|| "unknown".into())
}
