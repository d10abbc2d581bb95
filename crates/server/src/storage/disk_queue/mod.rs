//! Temporary settings of a disk's queue (`/sys/block/DISK/queue`).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::facts::block_device::chosen;
use crate::facts::file_system::{FileSystemError, FileSystemFacts};
use crate::storage::locked_dir::guard;

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

/// Error while a queue is set or restored.
#[derive(Debug, Error)]
pub enum QueueError {
    /// logtrace does not set such a setting.
    #[error("logtrace does not set {name:?} of a disk's queue: choose one of {known}", known = KNOWN.join(", "))]
    Unknown {
        /// Requested name or value.
        name: String,
    },
    /// The disk does not have the setting.
    #[error("the disk {disk} has no {name} to set")]
    Missing {
        /// Name of the disk.
        disk: String,
        /// Name of the setting.
        name: String,
        /// Error of the system.
        source: io::Error,
    },
    /// The kernel refuses the value.
    #[error("the kernel refuses {name}={value} for {disk}, which has {has}")]
    Refused {
        /// Name of the disk.
        disk: String,
        /// Name of the setting.
        name: String,
        /// Requested name or value.
        value: String,
        /// Present value, or possible values.
        has: String,
        /// Error of the system.
        source: io::Error,
    },
    /// The kernel took another value.
    #[error(
        "the disk {disk} did not take {name}={value}: it has {has:?}. Choose a value that it takes unchanged"
    )]
    NotTaken {
        /// Name of the disk.
        disk: String,
        /// Name of the setting.
        name: String,
        /// Requested name or value.
        value: String,
        /// Present value.
        has: String,
    },
    /// Another logtrace has set the queue.
    #[error("another logtrace has set the queue of {0}: wait until it is done")]
    InUse(String),
    /// The old values cannot be noted.
    #[error("cannot write the old values of {disk} to {note}")]
    Note {
        /// Name of the disk.
        disk: String,
        /// Path of the note.
        note: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

/// Settings of a disk that are restored when this is dropped.
///
/// The old values are noted first: if logtrace is killed, the next start restores them.
#[derive(Debug)]
pub struct QueueGuard {
    queue: Queue,
    note: PathBuf,
    /// Locked as long as this process lives.
    _lock: File,
    old: Vec<QueueSetting>,
}

/// Queue of a disk.
#[derive(Clone, Debug)]
struct Queue {
    disk: String,
    directory: PathBuf,
}

/// Checks that a disk has a setting, with any value.
pub fn check_queue(disk: &str, setting: &QueueSetting) -> Result<(), QueueError> {
    check_known(std::slice::from_ref(setting))?;
    Queue::of(Path::new("/sys"), disk).old(&setting.name).map(drop)
}

fn check_known(settings: &[QueueSetting]) -> Result<(), QueueError> {
    match settings.iter().find(|setting| !KNOWN.contains(&&*setting.name)) {
        Some(unknown) => Err(QueueError::Unknown {
            name: unknown.name.clone(),
        }),
        None => Ok(()),
    }
}

/// Returns the disk under an existing directory. If the directory is on an image file, returns the disk that holds the
/// file.
pub fn disk_under(directory: &Path) -> Result<Option<String>, FileSystemError> {
    let facts = FileSystemFacts::of(directory)?;
    let below = facts.below.and_then(|below| below.device);
    Ok(below.or(facts.device).map(|device| device.disk))
}

impl QueueGuard {
    /// Sets the queue of a whole disk, such as `vda`, and verifies the values. Notes are in `base`, the directory of
    /// instances.
    pub fn set(base: &Path, disk: &str, settings: &[QueueSetting]) -> Result<Self, QueueError> {
        Self::set_in(Path::new("/sys"), base, disk, settings)
    }

    fn set_in(sys: &Path, base: &Path, disk: &str, settings: &[QueueSetting]) -> Result<Self, QueueError> {
        check_known(settings)?;
        let queue = Queue::of(sys, disk);
        let note = base.join(format!("{NOTE}{disk}"));
        let fail = |source| QueueError::Note {
            disk: disk.to_owned(),
            note: note.clone(),
            source,
        };
        let lock = lock(base, &note)
            .map_err(fail)?
            .ok_or_else(|| QueueError::InUse(disk.to_owned()))?;
        // What a killed logtrace has left is no old value.
        put_back(&queue, &note).map_err(fail)?;
        let old: Result<Vec<_>, _> = settings.iter().map(|setting| queue.old(&setting.name)).collect();
        let old = old?;
        write_note(&lock, &old).map_err(fail)?;
        let guard = Self {
            queue,
            note,
            _lock: lock,
            old,
        };
        settings.iter().try_for_each(|setting| guard.queue.set(setting))?;
        Ok(guard)
    }

    /// Restores the old values and returns an error if that fails.
    pub fn put_back(mut self) -> Result<(), QueueError> {
        self.restore()
    }

    fn restore(&mut self) -> Result<(), QueueError> {
        // Backwards: a scheduler has settings of its own.
        while let Some(setting) = self.old.last() {
            self.queue.set(setting)?;
            self.old.pop();
        }
        remove(&self.note).map_err(|source| QueueError::Note {
            disk: self.queue.disk.clone(),
            note: self.note.clone(),
            source,
        })
    }
}

impl Drop for QueueGuard {
    fn drop(&mut self) {
        // What could not be put back stays in the note.
        let _ = self.restore();
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

    fn old(&self, name: &str) -> Result<QueueSetting, QueueError> {
        let value = self.read(name).map_err(|source| QueueError::Missing {
            disk: self.disk.clone(),
            name: name.to_owned(),
            source,
        })?;
        Ok(QueueSetting {
            name: name.to_owned(),
            value: chosen(&value),
        })
    }

    fn set(&self, setting: &QueueSetting) -> Result<(), QueueError> {
        let QueueSetting { name, value } = setting.clone();
        let disk = self.disk.clone();
        let has = || self.read(&name).unwrap_or_default();
        if let Err(source) = fs::write(self.directory.join(&name), &value) {
            let has = has();
            return Err(QueueError::Refused {
                disk,
                name,
                value,
                has,
                source,
            });
        }
        let has = chosen(&has());
        match has == value {
            true => Ok(()),
            false => Err(QueueError::NotTaken {
                disk,
                name,
                value,
                has,
            }),
        }
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
        let done = put_back(&queue, &note).and_then(|()| remove(&note));
        swept.push((disk.to_owned(), done));
    }
    Ok(swept)
}

/// Opens and locks a note. Returns `None` if another process holds it.
fn lock(base: &Path, note: &Path) -> io::Result<Option<File>> {
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
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes a note. The caller holds its lock.
fn remove(note: &Path) -> io::Result<()> {
    let _guard = note.parent().map(guard).transpose()?;
    match fs::remove_file(note) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Lines `NAME VALUE`; on disk before anything is set.
fn write_note(mut note: &File, old: &[QueueSetting]) -> io::Result<()> {
    let lines = old
        .iter()
        .map(|setting| format!("{} {}\n", setting.name, setting.value));
    note.set_len(0)?;
    note.write_all(lines.collect::<String>().as_bytes())?;
    note.sync_all()
}

fn put_back(queue: &Queue, note: &Path) -> io::Result<()> {
    let text = fs::read_to_string(note)?;
    for line in text.lines().rev() {
        let Some((name, value)) = line.split_once(' ').filter(|(name, _)| KNOWN.contains(name)) else {
            continue;
        };
        let setting = QueueSetting {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        match queue.set(&setting) {
            Ok(()) | Err(QueueError::NotTaken { .. }) => {}
            // A loop device or a disk that is gone takes its settings along.
            Err(_) if !queue.directory.exists() => {}
            Err(error) => return Err(io::Error::other(error)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
