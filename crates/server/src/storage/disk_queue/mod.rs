//! Settings of a disk's queue (`/sys/block/DISK/queue`), for a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::facts::block_device::chosen;
use crate::facts::file_system::{FileSystemError, FileSystemFacts};
use crate::instance::instance_dir::guard;

/// Starts the name of a note, which a disk's name follows.
const NOTE: &str = "queue-";

/// The settings that may be changed: they decide how writes are ordered, cached and split, and can be put back
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

/// A setting of a queue and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSetting {
    /// The file's name, such as `scheduler`.
    pub name: String,
    /// What it shall have.
    pub value: String,
}

/// Why a queue cannot be set.
#[derive(Debug, Error)]
pub enum QueueError {
    /// logtrace does not set it.
    #[error("{name:?} is no setting of a disk's queue that logtrace sets: choose one of {known}", known = KNOWN.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The disk has none.
    #[error("the disk {disk} has no {name} to set: {source}")]
    Missing {
        /// The disk.
        disk: String,
        /// The setting.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The kernel refuses the value.
    #[error("the kernel refuses {name}={value} for {disk}: {source}. It has {has}")]
    Refused {
        /// The disk.
        disk: String,
        /// The setting.
        name: String,
        /// What was asked for.
        value: String,
        /// What it has, or may have.
        has: String,
        /// What the system said.
        source: io::Error,
    },
    /// The kernel took another value.
    #[error("{name}={value} did not take: {disk} has {has:?}. Choose a value that it takes as it is")]
    NotTaken {
        /// The disk.
        disk: String,
        /// The setting.
        name: String,
        /// What was asked for.
        value: String,
        /// What it has.
        has: String,
    },
    /// Another logtrace is at it.
    #[error("another logtrace has set the queue of {0}: wait until it is done")]
    Taken(String),
    /// The old values could not be noted.
    #[error("cannot note the old values of {disk} in {note}: {source}")]
    Note {
        /// The disk.
        disk: String,
        /// The note.
        note: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Settings of a disk that are put back when this is dropped.
///
/// The old values are noted first: when logtrace is killed, the next start puts them back.
#[derive(Debug)]
pub struct QueueGuard {
    queue: Queue,
    note: PathBuf,
    /// Locked as long as this process lives.
    _lock: File,
    old: Vec<QueueSetting>,
}

/// A disk's queue.
#[derive(Clone, Debug)]
struct Queue {
    disk: String,
    directory: PathBuf,
}

/// Fails when a disk does not have a setting, whatever its value.
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

/// The disk under a directory, which exists; for one on an image in a file the disk that holds the file.
pub fn disk_under(directory: &Path) -> Result<Option<String>, FileSystemError> {
    let facts = FileSystemFacts::of(directory)?;
    let below = facts.below.and_then(|below| below.device);
    Ok(below.or(facts.device).map(|device| device.disk))
}

impl QueueGuard {
    /// Sets the queue of a whole disk, such as `vda`, and reads back what was set. Notes are kept in `base`, where
    /// instances are.
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
            .ok_or_else(|| QueueError::Taken(disk.to_owned()))?;
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

    /// Puts the old values back, and says so when that fails.
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

/// Puts back what notes in `base` say, of processes that are gone; returns the disks, and how that went.
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

/// Opens and locks a note; none when another process has it.
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

/// Removes a note whose lock is held.
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
