//! Temporary settings of a disk's queue (`/sys/block/DISK/queue`).

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use crate::error::ServerError;
use crate::facts::block_device::chosen;
use crate::facts::file_system::FileSystemFacts;
use crate::storage::file_lock::FileLock;
use crate::storage::locked_dir::guard;
use crate::unless_gone::unless_gone;

/// Start of the name of a note, before the name of the disk.
const NOTE: &str = "queue-";

/// Settings that may be changed: they decide how writes are ordered, cached and split, and can be restored
/// (Documentation/ABI/stable/sysfs-block).
const KNOWN: [&str; 10] = [
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

/// Setting of a queue, with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSetting {
    /// Name of the file, such as `scheduler`.
    pub name: String,
    /// Wanted value.
    pub value: String,
}

/// Settings of a disk that are restored when this is dropped.
///
/// The old values are noted first: if logtrace is killed, the next start restores them.
#[derive(Debug)]
pub struct QueueGuard {
    queue: Queue,
    note: PathBuf,
    _lock: FileLock,
}

/// Queue of a disk.
#[derive(Clone, Debug)]
struct Queue {
    disk: String,
    directory: PathBuf,
}

/// Checks that a disk has a setting, with any value.
pub fn check_queue(disk: &str, setting: &QueueSetting) -> Result<(), ServerError> {
    check_known(setting)?;
    Queue::of(Path::new("/sys"), disk).old(&setting.name)?;
    Ok(())
}

fn check_known(setting: &QueueSetting) -> anyhow::Result<()> {
    let name = &setting.name;
    let known = KNOWN.join(", ");
    ensure!(
        KNOWN.contains(&&**name),
        "logtrace does not set {name:?} of a disk's queue: choose one of {known}"
    );
    Ok(())
}

/// Returns the disk under an existing directory. If the directory is on an image file, returns the disk that holds the
/// file.
pub fn disk_under(directory: &Path) -> Result<Option<String>, ServerError> {
    let facts = FileSystemFacts::of(directory)?;
    let below = facts.below.and_then(|below| below.device);
    Ok(below.or(facts.device).map(|device| device.disk))
}

impl QueueGuard {
    /// Sets the queue of a whole disk, such as `vda`, and verifies the values. Notes are in `base`, the directory of
    /// instances.
    pub fn set(base: &Path, disk: &str, settings: &[QueueSetting]) -> Result<Self, ServerError> {
        Ok(Self::set_in(Path::new("/sys"), base, disk, settings)?)
    }

    fn set_in(sys: &Path, base: &Path, disk: &str, settings: &[QueueSetting]) -> anyhow::Result<Self> {
        settings.iter().try_for_each(check_known)?;
        let queue = Queue::of(sys, disk);
        let note = base.join(format!("{NOTE}{disk}"));
        let fail = || format!("cannot write the old values of {disk} to {}", note.display());
        let lock = lock(base, &note).with_context(fail)?.with_context(|| {
            format!("another logtrace has set the queue of {disk}: wait until it is done")
        })?;
        // What a killed logtrace has left is no old value.
        restore(&queue, &note).with_context(fail)?;
        let old: Result<Vec<_>, _> = settings.iter().map(|setting| queue.old(&setting.name)).collect();
        let old = old?;
        write_note(lock.file(), &old).with_context(fail)?;
        let guard = Self {
            queue,
            note,
            _lock: lock,
        };
        settings.iter().try_for_each(|setting| guard.queue.set(setting))?;
        Ok(guard)
    }
}

impl Drop for QueueGuard {
    fn drop(&mut self) {
        // What could not be put back stays in the note.
        let _ = put_back(&self.queue, &self.note);
    }
}

impl Queue {
    fn of(sys: &Path, disk: &str) -> Self {
        Self {
            disk: disk.to_owned(),
            directory: sys.join("block").join(disk).join("queue"),
        }
    }

    fn read(&self, name: &str) -> io::Result<String> {
        let text = fs::read_to_string(self.directory.join(name))?;
        Ok(text.trim().to_owned())
    }

    fn old(&self, name: &str) -> anyhow::Result<QueueSetting> {
        let value = self
            .read(name)
            .with_context(|| format!("the disk {} has no {name} to set", self.disk))?;
        Ok(QueueSetting {
            name: name.to_owned(),
            value: chosen(&value),
        })
    }

    fn set(&self, setting: &QueueSetting) -> anyhow::Result<()> {
        self.write(setting)?;
        let has = chosen(&self.read(&setting.name).unwrap_or_default());
        let (disk, QueueSetting { name, value }) = (&self.disk, setting);
        ensure!(
            has == *value,
            "the disk {disk} did not take {name}={value}: it has {has:?}. Choose a value that it takes unchanged"
        );
        Ok(())
    }

    /// Writes a value without verifying it.
    fn write(&self, setting: &QueueSetting) -> anyhow::Result<()> {
        let (disk, QueueSetting { name, value }) = (&self.disk, setting);
        fs::write(self.directory.join(name), value).with_context(|| {
            let has = self.read(name).unwrap_or_default();
            format!("the kernel refuses {name}={value} for {disk}, which has {has}")
        })
    }
}

/// Restores the values in the notes of ended processes in `base`. Returns the disks, each with its result.
pub(crate) fn sweep_queues(base: &Path) -> io::Result<Vec<(String, io::Result<()>)>> {
    sweep_queues_in(Path::new("/sys"), base)
}

fn sweep_queues_in(sys: &Path, base: &Path) -> io::Result<Vec<(String, io::Result<()>)>> {
    let mut swept = Vec::new();
    for entry in fs::read_dir(base)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let Some(disk) = name.strip_prefix(NOTE) else {
            continue;
        };
        let note = base.join(&name);
        let Some(_lock) = lock(base, &note)? else {
            continue;
        };
        let queue = Queue::of(sys, disk);
        swept.push((disk.to_owned(), put_back(&queue, &note)));
    }
    Ok(swept)
}

/// Opens and locks a note. Returns `None` if another process holds it.
fn lock(base: &Path, note: &Path) -> io::Result<Option<FileLock>> {
    // Or what is locked may just have been removed.
    let _guard = guard(base)?;
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(note)?;
    FileLock::acquire(file)
}

/// Restores the values in a note, and removes it. The caller holds its lock.
fn put_back(queue: &Queue, note: &Path) -> io::Result<()> {
    restore(queue, note)?;
    let _guard = note.parent().map(guard).transpose()?;
    unless_gone(fs::remove_file(note))
}

/// Lines `NAME VALUE`; on disk before anything is set.
fn write_note(mut note: &fs::File, old: &[QueueSetting]) -> io::Result<()> {
    let lines = old
        .iter()
        .map(|setting| format!("{} {}\n", setting.name, setting.value));
    note.set_len(0)?;
    note.write_all(lines.collect::<String>().as_bytes())?;
    note.sync_all()
}

fn restore(queue: &Queue, note: &Path) -> io::Result<()> {
    let text = fs::read_to_string(note)?;
    // Backwards: a scheduler has settings of its own.
    for line in text.lines().rev() {
        let Some((name, value)) = line.split_once(' ').filter(|(name, _)| KNOWN.contains(name)) else {
            continue;
        };
        let setting = QueueSetting {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        match queue.write(&setting) {
            Ok(()) => {}
            // A loop device or a disk that is gone takes its settings along.
            Err(_) if !queue.directory.exists() => {}
            Err(error) => return Err(io::Error::other(format!("{error:#}"))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
