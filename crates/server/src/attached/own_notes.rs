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

/// Gives a server what the notes of killed runs say, the newest one first, and removes them. Leaves the notes on other
/// servers alone. Returns whether there were any. `lock` is that of the server.
pub(crate) async fn restore_left(
    notes: &Path,
    connection: &Connection,
    facts: &ServerFacts,
    lock: &mut ServerLock,
) -> Result<bool, ServerError> {
    let mut is_restored = false;
    for path in own_notes(notes, connection, facts)? {
        let shown = path.display();
        let file = NoteFile::lock(&path).with_context(|| format!("cannot open {shown}"))?;
        let file =
            file.context("another logtrace of this machine changes the server: wait until it is done")?;
        if let Some(note) = file.read().with_context(|| format!("cannot read {shown}"))? {
            restore_noted(&mut lock.session(connection, facts.flavor), facts, &note).await.with_context(|| {
                format!(
                    "an earlier run was killed and left settings changed. Type this on the server and remove {shown}: {}",
                    note.by_hand()
                )
            })?;
            is_restored = true;
        }
        file.remove().with_context(|| format!("cannot remove {shown}"))?;
    }
    Ok(is_restored)
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
