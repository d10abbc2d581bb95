//! Facts of a block device from sysfs: how it orders, caches and flushes writes.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Settings of a disk (Documentation/ABI/stable/sysfs-block). Values that cannot be read are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockDeviceFacts {
    /// Name of the whole disk, such as `vda`.
    pub disk: String,
    /// `major:minor` of the whole disk.
    pub disk_number: Option<String>,
    /// `major:minor` of the device that holds the file system; for a partition its own number.
    pub number: String,
    /// Bytes of the device that holds the file system.
    pub size_bytes: Option<u64>,
    /// I/O scheduler in use.
    pub scheduler: Option<String>,
    /// `write back` if the disk has a volatile cache to flush, else `write through`.
    pub write_cache: Option<String>,
    /// Whether the disk can force a single write (FUA) without a flush.
    pub fua: Option<bool>,
    /// Whether the disk rotates.
    pub rotational: Option<bool>,
    /// Hardware queues (`mq/`); 0 if the disk has none of its own, or if they cannot be read.
    pub hardware_queues: u32,
    /// File behind a loop device. Its flush also flushes the disk below.
    pub backing_file: Option<PathBuf>,
    /// Whether a loop device bypasses the page cache of the file system below.
    pub direct_io: Option<bool>,
    /// Disks below a mirror, a stripe, an encrypted or a mapped device (`slaves/`). Each flush goes to all of a mirror.
    pub legs: Vec<Self>,
}

/// Unit of the file `size` of a device, for any sector size.
const SIZE_UNIT_BYTES: u64 = 512;

/// Mark of the kernel for a file whose name was removed.
const DELETED: &str = " (deleted)";

impl BlockDeviceFacts {
    /// Reads `SYS/dev/block/MAJOR:MINOR`. Returns `None` if that is no block device.
    pub(crate) fn read(sys: &Path, number: &str) -> Option<Self> {
        let device = sys.join("dev/block").join(number).canonicalize().ok()?;
        // A partition has its queue in the directory of its disk, which is the parent.
        let disk = if device.join("partition").exists() {
            device.parent()?
        } else {
            &device
        };
        let attribute = |name: &str| {
            let text = fs::read_to_string(disk.join(name)).ok()?;
            Some(text.trim().to_owned())
        };
        let flag = |name: &str| attribute(name).map(|text| text != "0");
        let units: Option<u64> = fs::read_to_string(device.join("size"))
            .ok()
            .and_then(|text| text.trim().parse().ok());
        Some(Self {
            disk: disk.file_name()?.to_string_lossy().into_owned(),
            disk_number: attribute("dev"),
            number: number.to_owned(),
            size_bytes: units.and_then(|units| units.checked_mul(SIZE_UNIT_BYTES)),
            scheduler: attribute("queue/scheduler").map(|text| chosen(&text)),
            write_cache: attribute("queue/write_cache"),
            fua: flag("queue/fua"),
            rotational: flag("queue/rotational"),
            hardware_queues: fs::read_dir(disk.join("mq")).map_or(0, |queues| queues.count() as u32),
            backing_file: attribute("loop/backing_file").map(PathBuf::from),
            direct_io: flag("loop/dio"),
            legs: legs(sys, disk),
        })
    }

    /// Returns the directory of the file behind a loop device, even if the file's name was removed.
    pub(crate) fn backing_directory(&self) -> Option<PathBuf> {
        let file = self.backing_file.as_ref()?.to_str()?;
        let file = Path::new(file.strip_suffix(DELETED).unwrap_or(file));
        Some(file.parent()?.to_owned())
    }
}

fn legs(sys: &Path, disk: &Path) -> Vec<BlockDeviceFacts> {
    let below = fs::read_dir(disk.join("slaves")).into_iter().flatten().flatten();
    let facts = below.filter_map(|leg| {
        let number = fs::read_to_string(leg.path().join("dev")).ok()?;
        BlockDeviceFacts::read(sys, number.trim())
    });
    let mut legs: Vec<_> = facts.collect();
    legs.sort_by(|one, other| one.number.cmp(&other.number));
    legs
}

/// Returns the word in brackets of a list such as `none [mq-deadline] kyber`.
pub(crate) fn chosen(list: &str) -> String {
    list.split_whitespace()
        .find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))
        .unwrap_or(list)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_partition_has_the_settings_of_its_disk() {
        let sys = tempfile::tempdir().unwrap();
        let disk = sys.path().join("devices/pci/block/nvme0n1");
        for name in ["queue", "nvme0n1p2", "mq/0", "mq/1"] {
            fs::create_dir_all(disk.join(name)).unwrap();
        }
        fs::write(disk.join("nvme0n1p2/partition"), "2\n").unwrap();
        fs::write(disk.join("nvme0n1p2/size"), "2097152\n").unwrap();
        fs::write(disk.join("dev"), "259:0\n").unwrap();
        fs::write(disk.join("queue/scheduler"), "none [mq-deadline] kyber\n").unwrap();
        fs::write(disk.join("queue/write_cache"), "write back\n").unwrap();
        fs::write(disk.join("queue/fua"), "0\n").unwrap();
        fs::create_dir_all(sys.path().join("dev/block")).unwrap();
        symlink(disk.join("nvme0n1p2"), sys.path().join("dev/block/259:2")).unwrap();
        let facts = BlockDeviceFacts::read(sys.path(), "259:2").unwrap();
        let expected = BlockDeviceFacts {
            disk: "nvme0n1".into(),
            disk_number: Some("259:0".into()),
            number: "259:2".into(),
            size_bytes: Some(1 << 30),
            scheduler: Some("mq-deadline".into()),
            write_cache: Some("write back".into()),
            fua: Some(false),
            rotational: None,
            hardware_queues: 2,
            backing_file: None,
            direct_io: None,
            legs: Vec::new(),
        };
        assert_eq!(facts, expected);
        assert_eq!(BlockDeviceFacts::read(sys.path(), "259:3"), None);
    }

    #[test]
    fn a_mirror_has_its_legs_whole_disks_and_partitions() {
        let sys = tempfile::tempdir().unwrap();
        let devices = sys.path().join("devices/block");
        fs::create_dir_all(sys.path().join("dev/block")).unwrap();
        for (device, number) in [
            ("sda", "8:0"),
            ("sdb", "8:16"),
            ("sdb/sdb1", "8:17"),
            ("dm-0", "253:0"),
        ] {
            fs::create_dir_all(devices.join(device)).unwrap();
            fs::write(devices.join(device).join("dev"), format!("{number}\n")).unwrap();
            symlink(devices.join(device), sys.path().join("dev/block").join(number)).unwrap();
        }
        fs::write(devices.join("sdb/sdb1/partition"), "1\n").unwrap();
        fs::create_dir_all(devices.join("dm-0/slaves")).unwrap();
        for leg in ["sda", "sdb/sdb1"] {
            let name = Path::new(leg).file_name().unwrap();
            symlink(devices.join(leg), devices.join("dm-0/slaves").join(name)).unwrap();
        }
        let mirror = BlockDeviceFacts::read(sys.path(), "253:0").unwrap();
        let legs: Vec<_> = mirror
            .legs
            .iter()
            .map(|leg| (&*leg.disk, leg.disk_number.as_deref()))
            .collect();
        assert_eq!(legs, [("sda", Some("8:0")), ("sdb", Some("8:16"))]);
    }

    #[test]
    fn the_file_behind_a_loop_device_may_have_lost_its_name() {
        let sys = tempfile::tempdir().unwrap();
        let device = sys.path().join("dev/block/7:0");
        fs::create_dir_all(device.join("loop")).unwrap();
        fs::write(device.join("loop/dio"), "1\n").unwrap();
        for name in ["/a/b/image (deleted)\n", "/a/b/image\n"] {
            fs::write(device.join("loop/backing_file"), name).unwrap();
            let facts = BlockDeviceFacts::read(sys.path(), "7:0").unwrap();
            assert_eq!(facts.backing_directory().as_deref(), Some(Path::new("/a/b")));
            assert_eq!(facts.direct_io, Some(true));
        }
    }

    #[test]
    fn a_scheduler_is_the_chosen_one() {
        assert_eq!(chosen("[none] mq-deadline"), "none");
        assert_eq!(chosen("none"), "none");
    }
}
