//! Undoing what runs changed on running servers: at the end of a run, and after runs that were killed.

use std::io;
use std::path::Path;

use anyhow::{Context, anyhow};

use crate::attached::change_note::{Change, ChangeNote, NoteFile, ProcessStart, identity, stale_notes};
use crate::attached::reach::{Reached, reach};
use crate::attached::server_lock::ServerLock;
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use crate::settings::set_global::set_verified;
use crate::settings::value_match::has_value;
use logtrace_common::{Connection, Flavor, Password, Variable};

/// Running server that a killed run left changed, as its note says.
#[derive(Debug)]
pub struct LeftServer {
    file: NoteFile,
    note: ChangeNote,
}

impl LeftServer {
    /// Returns the notes in a directory whose logtrace has ended, each with an error if it cannot be read. Removes empty
    /// notes, whose runs changed nothing.
    pub fn all(notes: &Path) -> io::Result<Vec<io::Result<Self>>> {
        let mut all = Vec::new();
        for file in stale_notes(notes)? {
            match file.read() {
                Ok(Some(note)) => all.push(Ok(Self { file, note })),
                Ok(None) => file.remove()?,
                Err(error) => {
                    let path = file.path().display();
                    all.push(Err(io::Error::other(format!("cannot read {path}: {error}"))));
                }
            }
        }
        Ok(all)
    }

    /// Returns the address and account of the server, without a password.
    pub fn connection(&self) -> &Connection {
        &self.note.connection
    }

    /// Returns the path of the note.
    pub fn note(&self) -> &Path {
        self.file.path()
    }

    /// Returns the database that the run made.
    pub fn database(&self) -> Option<&str> {
        self.note.database.as_deref()
    }

    /// Returns the statements that undo the changes, for a person to type.
    pub fn by_hand(&self) -> String {
        self.note.by_hand()
    }

    /// Gives the server its old settings again. Returns the connection, with the password.
    pub async fn restore(&self, password: Option<Password>) -> Result<Connection, ServerError> {
        let connection = Connection {
            password,
            ..self.note.connection.clone()
        };
        let Reached {
            connection, facts, ..
        } = reach(&connection).await?;
        let lock = ServerLock::acquire(&connection).await?;
        restore_noted(&connection, &facts, &self.note).await?;
        lock.release(&connection).await?;
        Ok(connection)
    }

    /// Removes the note, once everything is undone.
    pub fn forget(self) -> io::Result<()> {
        self.file.remove()
    }
}

/// Gives a server the settings that a killed run noted. The caller holds the server's lock.
pub(crate) async fn restore_noted(
    connection: &Connection,
    facts: &ServerFacts,
    note: &ChangeNote,
) -> Result<(), ServerError> {
    if identity(facts) != note.server {
        return Err(anyhow!("another server listens on {} now", connection.endpoint).into());
    }
    let process = facts.pid.and_then(ProcessStart::of);
    let changes = left_changes(note, process, facts);
    restore_settings(connection, facts.flavor, &changes).await
}

/// Returns the changes that may still be in effect. A server that was started since has the settings of its own files.
/// On another machine the start is not known: there a variable counts if it has the run's value.
fn left_changes(note: &ChangeNote, process: Option<ProcessStart>, facts: &ServerFacts) -> Vec<Change> {
    let has_new = |change: &&Change| {
        let now = facts.variables.get(&change.name);
        now.is_some_and(|now| has_value(&change.name, &change.new, now))
    };
    match note.process {
        Some(_) if process == note.process => note.settings.clone(),
        Some(_) => Vec::new(),
        None => note.settings.iter().filter(has_new).cloned().collect(),
    }
}

/// Gives each variable its old value again, the last one first, and verifies it.
pub(crate) async fn restore_settings(
    connection: &Connection,
    flavor: Flavor,
    changes: &[Change],
) -> Result<(), ServerError> {
    if changes.is_empty() {
        return Ok(());
    }
    let now = connection.variables().await?;
    let mut not_restored = Vec::new();
    for change in changes.iter().rev() {
        let has_old = |now: &String| has_value(&change.name, &change.old, now);
        if now.get(&change.name).is_some_and(has_old) {
            continue;
        }
        let old = Variable::new(&change.name, &change.old);
        match set_verified(connection, flavor, std::slice::from_ref(&old)).await {
            Ok(_) => {}
            Err(ServerError::Setting(error)) => not_restored.push(format!("{old} ({error})")),
            Err(error) => return Err(error),
        }
    }
    match not_restored.is_empty() {
        true => Ok(()),
        false => Err(anyhow!(
            "cannot restore these variables, set them by hand: {}",
            not_restored.join(", ")
        )
        .into()),
    }
}

/// Gives a server what the notes of killed runs say, and removes them. Returns whether there were any. The caller holds
/// the server's lock.
pub(crate) async fn restore_left(
    notes: &Path,
    connection: &Connection,
    facts: &ServerFacts,
) -> Result<bool, ServerError> {
    let Some(file) = own_note(notes, facts)? else {
        return Ok(false);
    };
    let path = file.path().display().to_string();
    let read = file.read().with_context(|| format!("cannot read {path}"))?;
    if let Some(note) = &read {
        let restored = restore_noted(connection, facts, note).await;
        restored.with_context(|| {
            format!(
                "an earlier run was killed and left settings changed. Type this on the server and remove {path}: {}",
                note.by_hand()
            )
        })?;
    }
    file.remove().with_context(|| format!("cannot remove {path}"))?;
    Ok(read.is_some())
}

/// Locks the note of a server, if there is one. Fails if a living logtrace holds it.
fn own_note(notes: &Path, facts: &ServerFacts) -> Result<Option<NoteFile>, ServerError> {
    if !notes.is_dir() {
        return Ok(None);
    }
    Ok(Some(lock_note(notes, facts)?))
}

/// Locks the note of a server.
pub(crate) fn lock_note(notes: &Path, facts: &ServerFacts) -> Result<NoteFile, ServerError> {
    let locked = NoteFile::lock(notes, &identity(facts));
    let locked = locked.with_context(|| {
        let notes = notes.display();
        format!(
            "cannot note in {notes} what the run changes (run logtrace as root, or choose another --home)"
        )
    })?;
    Ok(locked.context("another logtrace of this machine changes the server: wait until it is done")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_common::{Endpoint, Tls};

    #[test]
    fn only_changes_that_may_be_in_effect_are_undone() {
        let connection = Connection {
            endpoint: Endpoint::Socket("/run/x.sock".into()),
            user: "root".into(),
            password: None,
            database: None,
            tls: Tls::default(),
            server_uid: None,
        };
        let mut facts = ServerFacts {
            flavor: Flavor::MySql,
            version: "9.7.4".into(),
            process: None,
            pid: Some(std::process::id()),
            binary: None,
            variables: [("sync_binlog", "1"), ("long_query_time", "10.000000")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            private: false,
        };
        let settings = ["sync_binlog=0", "long_query_time=5"].map(|text| text.parse().unwrap());
        let mut note = ChangeNote::new(&connection, &facts, &settings, None);
        facts.variables.insert("sync_binlog".into(), "0".into());
        let left = |note: &ChangeNote, process| {
            let changes = left_changes(note, process, &facts);
            changes.into_iter().map(|change| change.name).collect::<Vec<_>>()
        };
        let same = note.process;
        assert_eq!(left(&note, same), ["sync_binlog", "long_query_time"]);
        assert!(left(&note, ProcessStart::of(1)).is_empty(), "a restarted server");
        note.process = None;
        assert_eq!(left(&note, None), ["sync_binlog"], "a server of another machine");
    }
}
