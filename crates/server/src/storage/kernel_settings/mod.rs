//! Temporary settings of the kernel: of a disk's queue, and of when dirty pages are written.

mod place;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use crate::error::ServerError;
use crate::error::unless_gone;
use crate::facts::block_device::chosen;
use crate::facts::file_system::FileSystemFacts;
use crate::storage::file_lock::FileLock;
use crate::storage::locked_dir::guard;

pub use place::KernelPlace;

/// Root of the file system with `/sys` and `/proc`.
const ROOT: &str = "/";

/// Setting of the kernel, with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSetting {
    /// Name in its place, such as `scheduler` or `vm.dirty_bytes`.
    pub name: String,
    /// Wanted value.
    pub value: String,
}

/// Settings of the kernel that are restored when this is dropped.
///
/// The old values are noted first: if logtrace is killed, the next start restores them. A note is locked while its writer
/// lives. Whoever finds it unlocked restores the values: the next start, `doctor --clean`, the next change of the place.
#[derive(Debug)]
pub struct KernelSettingsGuard {
    settings: Settings,
    note: PathBuf,
    _lock: FileLock,
}

/// Settings of a place.
#[derive(Clone, Debug)]
struct Settings {
    place: KernelPlace,
    root: PathBuf,
}

/// Checks that a place has a setting, with any value.
pub fn check_kernel_setting(place: &KernelPlace, setting: &KernelSetting) -> Result<(), ServerError> {
    check_known(place, setting)?;
    Settings::of(Path::new(ROOT), place).old(&setting.name)?;
    Ok(())
}

fn check_known(place: &KernelPlace, setting: &KernelSetting) -> anyhow::Result<()> {
    let (name, known) = (&setting.name, place.known());
    ensure!(
        known.contains(&&**name),
        "logtrace does not set {name:?} of {place}: choose one of {}",
        known.join(", ")
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

impl KernelSettingsGuard {
    /// Changes settings of a place, and verifies the values. Notes are in `base`, the directory of instances.
    pub fn set(base: &Path, place: &KernelPlace, settings: &[KernelSetting]) -> Result<Self, ServerError> {
        Ok(Self::set_in(Path::new(ROOT), base, place, settings)?)
    }

    fn set_in(
        root: &Path,
        base: &Path,
        place: &KernelPlace,
        wanted: &[KernelSetting],
    ) -> anyhow::Result<Self> {
        wanted
            .iter()
            .try_for_each(|setting| check_known(place, setting))?;
        let settings = Settings::of(root, place);
        let note = base.join(place.note());
        let fail = || format!("cannot write the old values of {place} to {}", note.display());
        let lock = lock(base, &note)
            .with_context(fail)?
            .with_context(|| format!("another logtrace has set {place}: wait until it is done"))?;
        // What a killed logtrace has left is no old value.
        restore(&settings, &note).with_context(fail)?;
        let old: Result<Vec<_>, _> = wanted.iter().map(|setting| settings.old(&setting.name)).collect();
        let old = old?;
        write_note(lock.file(), &old).with_context(fail)?;
        let guard = Self {
            settings,
            note,
            _lock: lock,
        };
        wanted
            .iter()
            .try_for_each(|setting| guard.settings.set(setting))?;
        Ok(guard)
    }
}

impl Drop for KernelSettingsGuard {
    fn drop(&mut self) {
        // What could not be put back stays in the note.
        let _ = put_back(&self.settings, &self.note);
    }
}

impl Settings {
    fn of(root: &Path, place: &KernelPlace) -> Self {
        Self {
            place: place.clone(),
            root: root.to_owned(),
        }
    }

    fn read(&self, name: &str) -> io::Result<String> {
        let text = fs::read_to_string(self.place.file(&self.root, name))?;
        Ok(text.trim().to_owned())
    }

    /// Returns the setting to write in order to restore what this one says now: that may be the other one of two.
    fn old(&self, name: &str) -> anyhow::Result<KernelSetting> {
        let read = |name: &str| {
            let value = self.read(name);
            let value = value.with_context(|| format!("{} has no {name} to set", self.place))?;
            anyhow::Ok(KernelSetting {
                name: name.to_owned(),
                value: chosen(&value),
            })
        };
        let old = read(name)?;
        match self.place.other(name) {
            Some(other) if old.value == "0" => read(other),
            _ => Ok(old),
        }
    }

    fn set(&self, setting: &KernelSetting) -> anyhow::Result<()> {
        self.write(setting)?;
        let has = chosen(&self.read(&setting.name).unwrap_or_default());
        let (place, KernelSetting { name, value }) = (&self.place, setting);
        ensure!(
            has == *value,
            "{place} did not take {name}={value}: it has {has:?}. Choose a value that it takes unchanged"
        );
        Ok(())
    }

    /// Writes a value without verifying it.
    fn write(&self, setting: &KernelSetting) -> anyhow::Result<()> {
        let (place, KernelSetting { name, value }) = (&self.place, setting);
        fs::write(place.file(&self.root, name), value).with_context(|| {
            let has = self.read(name).unwrap_or_default();
            format!("the kernel refuses {name}={value} for {place}, which has {has}")
        })
    }
}

/// Restores the values in the notes of ended processes in `base`. Returns the places, each with its result.
pub(crate) fn sweep_settings(base: &Path) -> io::Result<Vec<(KernelPlace, io::Result<()>)>> {
    sweep_settings_in(Path::new(ROOT), base)
}

fn sweep_settings_in(root: &Path, base: &Path) -> io::Result<Vec<(KernelPlace, io::Result<()>)>> {
    let mut swept = Vec::new();
    for entry in fs::read_dir(base)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let Some(place) = KernelPlace::of_note(&name) else {
            continue;
        };
        let note = base.join(&name);
        let Some(_lock) = lock(base, &note)? else {
            continue;
        };
        let done = put_back(&Settings::of(root, &place), &note);
        swept.push((place, done));
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
fn put_back(settings: &Settings, note: &Path) -> io::Result<()> {
    restore(settings, note)?;
    let _guard = note.parent().map(guard).transpose()?;
    unless_gone(fs::remove_file(note))
}

/// Lines `NAME VALUE`; on disk before anything is set.
fn write_note(mut note: &fs::File, old: &[KernelSetting]) -> io::Result<()> {
    let lines = old
        .iter()
        .map(|setting| format!("{} {}\n", setting.name, setting.value));
    note.set_len(0)?;
    note.write_all(lines.collect::<String>().as_bytes())?;
    note.sync_all()
}

fn restore(settings: &Settings, note: &Path) -> io::Result<()> {
    let text = fs::read_to_string(note)?;
    let place = &settings.place;
    // Backwards: a scheduler has settings of its own.
    for line in text.lines().rev() {
        let known = line
            .split_once(' ')
            .filter(|(name, _)| place.known().contains(name));
        let Some((name, value)) = known else {
            continue;
        };
        let setting = KernelSetting {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        match settings.write(&setting) {
            Ok(()) => {}
            // A loop device or a disk that is gone takes its settings along.
            Err(_) if !place.directory(&settings.root).exists() => {}
            Err(error) => return Err(io::Error::other(format!("{error:#}"))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
