//! Note of what a run changes on a running server, on disk before the first change.
//!
//! If logtrace is killed or loses the server, the note stays. The next run on the server and `logtrace doctor --clean`
//! undo what it says.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use procfs::process::Process;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::facts::server::ServerFacts;
use crate::install::trusted_path::{Writers, trusted_directory};
use crate::settings::set_global::literal;
use crate::storage::file_lock::FileLock;
use crate::storage::locked_dir::guard;
use crate::unless_gone::unless_gone;
use logtrace_common::{Connection, Flavor, Variable};

/// Version of the format.
const SCHEMA: u32 = 1;

/// Largest note that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Largest length of a note's name, without its ending.
const MAX_NAME: usize = 200;

/// Ending of the names of notes.
const ENDING: &str = ".json";

/// Changes that a run makes to a running server, with what undoes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangeNote {
    schema: u32,
    /// Process of the logtrace that wrote the note.
    pub(crate) logtrace: u32,
    /// Address and account, without the password.
    pub(crate) connection: Connection,
    pub(crate) flavor: Flavor,
    /// Identity of the server: see [`identity`].
    pub(crate) server: String,
    /// Process of the server, if it is on this machine.
    pub(crate) process: Option<ProcessStart>,
    /// Variables in the order in which they are set.
    pub(crate) settings: Vec<Change>,
    /// Database that the run creates and drops.
    pub(crate) database: Option<String>,
}

/// Variable with its value before the run and in the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) name: String,
    pub(crate) old: String,
    pub(crate) new: String,
}

/// Process, told from a later one of the same number by its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProcessStart {
    pub(crate) pid: u32,
    /// Ticks from the boot to the start of the process (`/proc/PID/stat`).
    start_ticks: u64,
}

/// Note on disk. It is locked as long as this lives.
#[derive(Debug)]
pub(crate) struct NoteFile {
    path: PathBuf,
    lock: FileLock,
}

impl ChangeNote {
    /// Creates a note of settings for a server, with their present values in `facts`. A setting without a present value
    /// is left out: the server does not know the variable.
    pub(crate) fn new(
        connection: &Connection,
        facts: &ServerFacts,
        settings: &[Variable],
        database: Option<&str>,
    ) -> Self {
        let change = |setting: &Variable| {
            Some(Change {
                name: setting.name().to_owned(),
                old: facts.variables.get(setting.name())?.clone(),
                new: setting.value().to_owned(),
            })
        };
        Self {
            schema: SCHEMA,
            logtrace: std::process::id(),
            connection: connection.clone(),
            flavor: facts.flavor,
            server: identity(facts),
            process: facts.pid.and_then(ProcessStart::of),
            settings: settings.iter().filter_map(change).collect(),
            database: database.map(str::to_owned),
        }
    }

    /// Returns whether the run changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.database.is_none()
    }

    /// Returns the statements that undo the changes, for a person to type.
    pub(crate) fn by_hand(&self) -> String {
        let set = |change: &Change| format!("SET GLOBAL {} = {};", change.name, literal(&change.old));
        let drop =
            |database: &String| format!("DROP DATABASE IF EXISTS `{database}`; -- if logtrace made it");
        let settings = self.settings.iter().rev().map(set);
        let all: Vec<String> = settings.chain(self.database.iter().map(drop)).collect();
        all.join(" ")
    }
}

impl ProcessStart {
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let process = Process::new(i32::try_from(pid).ok()?).ok()?;
        Some(Self {
            pid,
            start_ticks: process.stat().ok()?.starttime,
        })
    }
}

/// Returns what tells a server from others, also after its restart: MySQL's `server_uuid`, or the host, port and data
/// directory.
pub(crate) fn identity(facts: &ServerFacts) -> String {
    let text = |name: &str| facts.variables.get(name).map_or("", String::as_str);
    match text("server_uuid") {
        "" => format!("{}:{}:{}", text("hostname"), text("port"), text("datadir")),
        uuid => uuid.to_owned(),
    }
}

impl NoteFile {
    /// Opens and locks the note of a server in `directory`, which is created. Returns `None` if another process holds it.
    pub(crate) fn lock(directory: &Path, server: &str) -> io::Result<Option<Self>> {
        create_private(directory)?;
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = server.chars().map(plain).take(MAX_NAME).collect();
        Self::lock_at(directory.join(format!("{name}{ENDING}")), true)
    }

    fn lock_at(path: PathBuf, create: bool) -> io::Result<Option<Self>> {
        // Or what is locked may just have been removed.
        let _guard = path.parent().map(guard).transpose()?;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(create)
            .truncate(false)
            .mode(0o600)
            .custom_flags(flags.bits().cast_signed())
            .open(&path)?;
        let lock = FileLock::acquire(file)?;
        Ok(lock.map(|lock| Self { path, lock }))
    }

    /// Reads the note. Returns `None` for an empty file: its run was killed before the first change.
    pub(crate) fn read(&self) -> io::Result<Option<ChangeNote>> {
        let mut text = String::new();
        self.lock.file().take(MAX_BYTES).read_to_string(&mut text)?;
        if text.is_empty() {
            return Ok(None);
        }
        let note: ChangeNote = serde_json::from_str(&text)?;
        match note.schema {
            SCHEMA => Ok(Some(note)),
            other => Err(io::Error::other(format!("its schema {other} is unknown"))),
        }
    }

    /// Writes the note, once, to the disk.
    pub(crate) fn write(&self, note: &ChangeNote) -> io::Result<()> {
        let mut file = self.lock.file();
        file.set_len(0)?;
        // From the beginning: an older note may have been read.
        io::Seek::rewind(&mut file)?;
        file.write_all(&serde_json::to_vec_pretty(note)?)?;
        file.sync_all()?;
        let directory = self.path.parent().unwrap_or(Path::new("/"));
        File::open(directory)?.sync_all()
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

/// Locks the notes in `directory` whose logtrace has ended. Refuses a directory in which others could have made notes: what
/// a note says is done with the rights of the caller.
pub(crate) fn stale_notes(directory: &Path) -> io::Result<Vec<NoteFile>> {
    let directory = trusted_directory(directory, None, Writers::Ours)?;
    let mut notes = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|ending| ENDING.ends_with(&*ending.to_string_lossy()))
        {
            notes.extend(NoteFile::lock_at(path, false)?);
        }
    }
    Ok(notes)
}

/// Creates a directory that only its owner may enter, unless it exists. Refuses one that others own or can write.
fn create_private(directory: &Path) -> io::Result<()> {
    if let Some(parent) = directory.parent() {
        trusted_directory(parent, Some(0o755), Writers::Ours)?;
    }
    let made = fs::create_dir(directory);
    match made {
        Ok(()) => fs::set_permissions(directory, Permissions::from_mode(0o700))?,
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
    use std::collections::BTreeMap;

    use super::*;
    use logtrace_common::{Endpoint, Password, Tls};

    fn facts(variables: &[(&str, &str)]) -> ServerFacts {
        ServerFacts {
            flavor: Flavor::MariaDb,
            version: "10.11.4".into(),
            process: None,
            pid: Some(std::process::id()),
            binary: None,
            variables: variables
                .iter()
                .map(|&(n, v)| (n.into(), v.into()))
                .collect::<BTreeMap<_, _>>(),
            private: false,
        }
    }

    fn note() -> ChangeNote {
        let connection = Connection {
            endpoint: Endpoint::Socket("/run/x.sock".into()),
            user: "root".into(),
            password: Some(Password::new("geheim")),
            database: None,
            tls: Tls::default(),
            server_uid: None,
        };
        let facts = facts(&[("sync_binlog", "1"), ("sql_mode", "it's"), ("datadir", "/d/")]);
        let settings = ["sync_binlog=0", "no_such=1", "sql_mode="].map(|text| text.parse().unwrap());
        ChangeNote::new(&connection, &facts, &settings, Some("logtrace"))
    }

    #[test]
    fn a_note_names_old_values_and_what_to_type_and_no_password() {
        let note = note();
        assert_eq!(
            note.by_hand(),
            r"SET GLOBAL sql_mode = 'it\'s'; SET GLOBAL sync_binlog = 1; DROP DATABASE IF EXISTS `logtrace`; -- if logtrace made it"
        );
        assert_eq!(note.server, "::/d/");
        assert!(!serde_json::to_string(&note).unwrap().contains("geheim"));
    }

    #[test]
    fn a_note_is_read_again_and_locked_while_its_owner_lives() {
        let base = tempfile::tempdir().unwrap();
        let directory = base.path().join("a/servers");
        let note = note();
        let file = NoteFile::lock(&directory, &note.server).unwrap().unwrap();
        assert_eq!(file.read().unwrap(), None);
        file.write(&note).unwrap();
        assert!(NoteFile::lock(&directory, &note.server).unwrap().is_none());
        assert!(stale_notes(&directory).unwrap().is_empty());
        drop(file);
        let mut stale = stale_notes(&directory).unwrap();
        let file = stale.pop().unwrap();
        let mut read = file.read().unwrap().unwrap();
        assert_eq!(fs::metadata(file.path()).unwrap().mode() & 0o777, 0o600);
        read.connection.password = note.connection.password.clone();
        assert_eq!(read, note);
        file.remove().unwrap();
        assert!(stale.is_empty() && stale_notes(&directory).unwrap().is_empty());
    }

    #[test]
    fn a_damaged_note_and_a_directory_of_others_are_refused() {
        let base = tempfile::tempdir().unwrap();
        let directory = base.path().join("servers");
        let file = NoteFile::lock(&directory, "x").unwrap().unwrap();
        fs::write(file.path(), "{\"schema\": 1").unwrap();
        assert!(file.read().is_err());
        let open = base.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        assert!(NoteFile::lock(&open, "x").is_err());
        let link = base.path().join("link");
        std::os::unix::fs::symlink(&directory, &link).unwrap();
        assert!(NoteFile::lock(&link, "x").is_err());
        if rustix::process::geteuid().is_root() {
            drop(file);
            std::os::unix::fs::chown(base.path(), Some(65_534), None).unwrap();
            let error = stale_notes(&directory).unwrap_err().to_string();
            assert!(error.contains("belongs to user 65534"), "{error}");
            assert!(NoteFile::lock(&directory, "x").is_err());
        }
    }
}
