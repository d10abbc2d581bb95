//! Notes on disk, in a directory that only their owner may enter.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

use crate::attached::change_note::ChangeNote;
use crate::error::unless_gone;
use crate::install::trusted_path::{Writers, trusted_directory};
use crate::storage::file_lock::FileLock;
use crate::storage::locked_dir::guard;

/// Largest note, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Largest length of a note's name, without its number and ending.
const MAX_NAME: usize = 200;

/// Ending of the names of notes.
const ENDING: &str = "json";

/// Ending of the name of a note that is being written.
const UNFINISHED: &str = "new";

/// Note on disk. It is locked as long as this lives.
#[derive(Debug)]
pub(crate) struct NoteFile {
    path: PathBuf,
    lock: FileLock,
}

impl NoteFile {
    /// Writes a new note to the disk, in `directory`, which is created. It has its name once it is complete, and takes the
    /// place of no other note.
    pub(crate) fn create(directory: &Path, note: &ChangeNote) -> io::Result<Self> {
        create_private(directory)?;
        let _guard = guard(directory)?;
        remove_unfinished(directory)?;
        let (file, lock) = write_locked(directory, note)?;
        let path = name_it(file, directory, &note.server)?;
        File::open(directory)?.sync_all()?;
        Ok(Self { path, lock })
    }

    /// Writes another note to the disk in the place of this one. One of both is there at any time.
    pub(crate) fn replace(&mut self, note: &ChangeNote) -> io::Result<()> {
        let directory = self.path.parent().ok_or(io::ErrorKind::NotFound)?;
        let _guard = guard(directory)?;
        let (file, lock) = write_locked(directory, note)?;
        file.persist(&self.path).map_err(|error| error.error)?;
        self.lock = lock;
        File::open(directory)?.sync_all()
    }

    /// Opens and locks a note. Returns `None` if a living process holds it.
    pub(crate) fn lock(path: &Path) -> io::Result<Option<Self>> {
        // Or what is locked may just have been removed.
        let _guard = path.parent().map(guard).transpose()?;
        let lock = FileLock::acquire(open(path)?)?;
        let path = path.to_owned();
        Ok(lock.map(|lock| Self { path, lock }))
    }

    /// Reads the note. Returns `None` for an empty file: the run of an earlier version was killed before the first change.
    pub(crate) fn read(&self) -> io::Result<Option<ChangeNote>> {
        read_from(self.lock.file())
    }

    /// Removes the note.
    pub(crate) fn remove(self) -> io::Result<()> {
        let _guard = self.path.parent().map(guard).transpose()?;
        unless_gone(fs::remove_file(&self.path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes a note to a file without a name of its own yet.
fn write_locked(directory: &Path, note: &ChangeNote) -> io::Result<(NamedTempFile, FileLock)> {
    let text = serde_json::to_vec_pretty(note)?;
    if u64::try_from(text.len()).is_ok_and(|length| length > MAX_BYTES) {
        return Err(io::Error::other(
            "the old values of the variables are too long to be noted",
        ));
    }
    let suffix = format!(".{UNFINISHED}");
    let mut file = tempfile::Builder::new().suffix(&suffix).tempfile_in(directory)?;
    // Locked first: whoever finds it under its name finds that its writer lives.
    let lock = FileLock::acquire(file.as_file().try_clone()?)?;
    let lock = lock.ok_or(io::ErrorKind::WouldBlock)?;
    file.write_all(&text)?;
    file.as_file().sync_all()?;
    Ok((file, lock))
}

/// Reads a note without its lock: it is complete since it has its name.
pub(crate) fn read(path: &Path) -> io::Result<Option<ChangeNote>> {
    read_from(&open(path)?)
}

/// Returns the paths of all notes, the newest one first. A later run may have noted values of an earlier one as the old
/// ones. Refuses a directory in which others could have made notes: what a note says is done with the rights of the caller.
pub(crate) fn all_notes(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let directory = trusted_directory(directory, None, Writers::Ours)?;
    let mut notes = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new(ENDING)) {
            // It may just have been removed.
            if let Ok(found) = fs::symlink_metadata(&path) {
                notes.push(((found.mtime(), found.mtime_nsec()), path));
            }
        }
    }
    notes.sort();
    Ok(notes.into_iter().rev().map(|(_, path)| path).collect())
}

/// Locks the notes in `directory` whose logtrace has ended, the newest one first. Removes those that were never finished.
pub(crate) fn stale_notes(directory: &Path) -> io::Result<Vec<NoteFile>> {
    let guarded = guard(directory)?;
    remove_unfinished(directory)?;
    drop(guarded);
    let mut stale = Vec::new();
    for path in all_notes(directory)? {
        match NoteFile::lock(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            locked => stale.extend(locked?),
        }
    }
    Ok(stale)
}

fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

fn read_from(mut file: &File) -> io::Result<Option<ChangeNote>> {
    let mut text = String::new();
    io::Seek::rewind(&mut file)?;
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    match text.is_empty() {
        true => Ok(None),
        false => ChangeNote::parse(&text).map(Some),
    }
}

/// Returns whether the note at `path` has a name for `server`, whatever is in it.
pub(crate) fn has_name_of(path: &Path, server: &str) -> bool {
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    file_name.starts_with(&plain_name(server))
}

/// Returns the name of a server as a name of files.
fn plain_name(server: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    server.chars().map(plain).take(MAX_NAME).collect()
}

/// Gives a note the first free name for its server.
fn name_it(mut file: NamedTempFile, directory: &Path, server: &str) -> io::Result<PathBuf> {
    let name = plain_name(server);
    for number in 1_u32.. {
        let path = match number {
            1 => directory.join(format!("{name}.{ENDING}")),
            _ => directory.join(format!("{name}_{number}.{ENDING}")),
        };
        match file.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => file = taken.file,
            Err(other) => return Err(other.error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes notes whose writers were killed before these had a name: nothing was changed then. The caller has the guard of
/// the directory.
fn remove_unfinished(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new(UNFINISHED)) {
            unless_gone(fs::remove_file(path))?;
        }
    }
    Ok(())
}

/// Creates a directory that only its owner may enter, unless it exists. Refuses one that others own or can write.
fn create_private(directory: &Path) -> io::Result<()> {
    if let Some(parent) = directory.parent() {
        trusted_directory(parent, Some(0o755), Writers::Ours)?;
    }
    let made = fs::create_dir(directory);
    match made {
        Ok(()) => {
            fs::set_permissions(directory, Permissions::from_mode(0o700))?;
            File::open(directory.parent().unwrap_or(Path::new("/")))?.sync_all()?;
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let found = fs::symlink_metadata(directory)?;
    let is_ours = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
    match is_ours && found.mode() & 0o022 == 0 {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "{} is no directory of this user alone: remove it, or choose another --home",
            directory.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attached::change_note::tests::{facts, note};

    #[test]
    fn a_note_is_read_again_and_locked_while_its_owner_lives() {
        let base = tempfile::tempdir().unwrap();
        let directory = base.path().join("a/servers");
        let mut note = note(&facts(&[("datadir", "/d/")]));
        let file = NoteFile::create(&directory, &note).unwrap();
        assert!(NoteFile::lock(file.path()).unwrap().is_none());
        assert!(stale_notes(&directory).unwrap().is_empty());
        note.connection.password = None;
        assert_eq!(read(file.path()).unwrap().as_ref(), Some(&note));
        drop(file);
        let mut stale = stale_notes(&directory).unwrap();
        let file = stale.pop().unwrap();
        assert_eq!(file.read().unwrap(), Some(note));
        assert_eq!(fs::metadata(file.path()).unwrap().mode() & 0o777, 0o600);
        file.remove().unwrap();
        assert!(stale.is_empty() && stale_notes(&directory).unwrap().is_empty());
    }

    #[test]
    fn a_note_takes_the_place_of_no_other_and_the_newest_is_undone_first() {
        let base = tempfile::tempdir().unwrap();
        let directory = base.path().join("servers");
        let note = note(&facts(&[("server_uuid", "u")]));
        let names: Vec<PathBuf> = (0..3)
            .map(|_| NoteFile::create(&directory, &note).unwrap().path().to_owned())
            .collect();
        let file_names: Vec<_> = names.iter().map(|path| path.file_name().unwrap()).collect();
        assert_eq!(file_names, ["u.json", "u_2.json", "u_3.json"]);
        let newest_first: Vec<_> = names.into_iter().rev().collect();
        assert_eq!(all_notes(&directory).unwrap(), newest_first);
    }

    #[test]
    fn a_note_that_was_not_finished_is_none() {
        let base = tempfile::tempdir().unwrap();
        let directory = base.path().join("servers");
        let note = note(&facts(&[("server_uuid", "u")]));
        NoteFile::create(&directory, &note).unwrap().remove().unwrap();
        let killed = directory.join(".tmpabc.new");
        fs::write(&killed, "{\"schema\": 2,").unwrap();
        assert!(all_notes(&directory).unwrap().is_empty());
        let file = NoteFile::create(&directory, &note).unwrap();
        assert!(!killed.exists() && file.read().unwrap().is_some());
        // As an earlier version left it.
        fs::write(directory.join("v.json"), "").unwrap();
        assert_eq!(read(&directory.join("v.json")).unwrap(), None);
        let mut long = note;
        long.database = Some("x".repeat(1 << 20));
        assert!(NoteFile::create(&directory, &long).is_err());
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
    }

    #[test]
    fn a_damaged_note_and_a_directory_of_others_are_refused() {
        let base = tempfile::tempdir().unwrap();
        let directory = base.path().join("servers");
        let note = note(&facts(&[("server_uuid", "u")]));
        let file = NoteFile::create(&directory, &note).unwrap();
        fs::write(file.path(), "{\"schema\": 1").unwrap();
        assert!(file.read().is_err());
        let open = base.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        assert!(NoteFile::create(&open, &note).is_err());
        let link = base.path().join("link");
        std::os::unix::fs::symlink(&directory, &link).unwrap();
        assert!(NoteFile::create(&link, &note).is_err());
        if rustix::process::geteuid().is_root() {
            drop(file);
            std::os::unix::fs::chown(base.path(), Some(65_534), None).unwrap();
            let error = stale_notes(&directory).unwrap_err().to_string();
            assert!(error.contains("belongs to user 65534"), "{error}");
            assert!(NoteFile::create(&directory, &note).is_err());
        }
    }
}
