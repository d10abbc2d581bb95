//! Notes on one server among those of others, which may have the same `server_uuid`.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::attached::change_note::{ChangeNote, name};
use crate::attached::give_back::restore_noted;
use crate::attached::note_file::{NoteFile, all_notes, has_name_of, read};
use crate::attached::server_lock::ServerLock;
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use logtrace_common::Connection;

/// Notes that killed runs left on a server.
#[derive(Debug, Default)]
pub(crate) struct LeftNotes {
    /// Whether there were any notes: variables may have changed.
    pub(crate) any: bool,
    /// Notes on databases that are still there, locked.
    with_database: Vec<(NoteFile, String)>,
}

impl LeftNotes {
    /// Removes the notes on databases that a run takes over: it has noted its own, or keeps the tables. The others stay.
    pub(crate) fn take_over(self, database: Option<&str>) -> anyhow::Result<()> {
        for (file, left) in self.with_database {
            if database.is_none_or(|database| database == left) {
                remove_note(file)?;
            }
        }
        Ok(())
    }
}

/// Gives a server the settings that the notes of killed runs say, the newest one first. Removes those without a database, and
/// returns the others. Leaves the notes on other servers alone. `lock` is that of the server.
pub(crate) async fn restore_left(
    notes: &Path,
    connection: &Connection,
    facts: &ServerFacts,
    lock: &mut ServerLock,
) -> Result<LeftNotes, ServerError> {
    let mut left = LeftNotes::default();
    for path in own_notes(notes, connection, facts)? {
        let shown = path.display();
        let file = NoteFile::lock(&path).with_context(|| format!("cannot open {shown}"))?;
        let mut file =
            file.context("another logtrace of this machine changes the server: wait until it is done")?;
        let Some(mut note) = file.read().with_context(|| format!("cannot read {shown}"))? else {
            remove_note(file)?;
            continue;
        };
        let mut session = lock.session(connection, facts.flavor);
        let restored = restore_noted(&mut session, facts, &mut file, &mut note).await;
        restored.with_context(|| {
            format!(
                "an earlier run was killed and left settings changed. Type this on the server and remove {shown}: {}",
                note.by_hand()
            )
        })?;
        lock.drop_unmarked(connection, &note).await?;
        left.any = true;
        match note.database {
            Some(database) => left.with_database.push((file, database)),
            None => remove_note(file)?,
        }
    }
    Ok(left)
}

/// Removes a note from the disk.
pub(crate) fn remove_note(file: NoteFile) -> anyhow::Result<()> {
    let shown = file.path().display().to_string();
    file.remove()
        .with_context(|| format!("cannot remove the note {shown}"))
}

/// Returns the paths of the notes on a server. Fails if one that may be about it cannot be read.
fn own_notes(notes: &Path, connection: &Connection, facts: &ServerFacts) -> anyhow::Result<Vec<PathBuf>> {
    if !notes.is_dir() {
        return Ok(Vec::new());
    }
    let mut own = Vec::new();
    let all = all_notes(notes).with_context(|| format!("cannot look through {}", notes.display()))?;
    for path in all {
        let is_own = match read(&path) {
            Ok(Some(note)) => note.is_about(connection, facts),
            Ok(None) => has_name_of(&path, &name(facts)),
            // Its run has just removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) if has_name_of(&path, &name(facts)) => {
                return Err(anyhow!(error).context(format!("cannot read {}", path.display())));
            }
            Err(_) => false,
        };
        if is_own {
            own.push(path);
        }
    }
    Ok(own)
}

/// Writes a note to the disk.
pub(crate) fn write_note(notes: &Path, note: &ChangeNote) -> Result<NoteFile, ServerError> {
    let written = NoteFile::create(notes, note);
    Ok(written.with_context(|| {
        let notes = notes.display();
        format!(
            "cannot note in {notes} what the run changes (run logtrace as root, or choose another --home)"
        )
    })?)
}
