//! Undoing what runs changed on running servers: at the end of a run, and after runs that were killed.

use std::io;
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;

use crate::attached::change_note::{ChangeNote, ProcessStart};
use crate::attached::note_file::{NoteFile, stale_notes};
use crate::attached::reach::{Reached, reach};
use crate::attached::server_lock::ServerLock;
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use crate::settings::change::Change;
use crate::settings::global_session::GlobalSession;
use crate::settings::value_match::has_value;
use logtrace_common::{Connection, Password};

/// Number of times that values are set: a variable may limit another one that is set before it, and a server may still be
/// busy with the value that the run set.
const ROUNDS: u32 = 3;

/// Time before the last round.
const PAUSE: Duration = Duration::from_secs(1);

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

    /// Gives the server its old settings again, and verifies them. Returns the connection, with the password.
    pub async fn restore(&self, password: Option<Password>) -> Result<Connection, ServerError> {
        let connection = Connection {
            password,
            ..self.note.connection.clone()
        };
        let Reached {
            connection, facts, ..
        } = reach(&connection).await?;
        if !self.note.is_about(&connection, &facts) {
            return Err(anyhow!("another server listens on {} now", connection.endpoint).into());
        }
        let mut lock = ServerLock::acquire(&connection).await?;
        restore_noted(&mut lock.session(&connection, facts.flavor), &facts, &self.note).await?;
        lock.release(&connection).await?;
        Ok(connection)
    }

    /// Removes the note, once everything is undone.
    pub fn forget(self) -> io::Result<()> {
        self.file.remove()
    }
}

/// Gives a server the settings that a killed run noted. The note is about the server, and the session holds its lock.
pub(crate) async fn restore_noted(
    session: &mut GlobalSession<'_>,
    facts: &ServerFacts,
    note: &ChangeNote,
) -> Result<(), ServerError> {
    let process = facts.pid.and_then(ProcessStart::of);
    let changes = left_changes(note, process, facts);
    restore_settings(session, &changes).await
}

/// Returns the changes that may still be in effect. A server that was started since has the settings of its own files.
/// On another machine the start is not known: there a variable counts if it has the run's value.
fn left_changes(note: &ChangeNote, process: Option<ProcessStart>, facts: &ServerFacts) -> Vec<Change> {
    let has_new = |change: &&Change| {
        let now = facts.variables.get(&change.name);
        now.is_none_or(|now| has_value(&change.name, &change.new, now))
    };
    match note.process {
        Some(_) if note.is_of_process(process) => note.settings.clone(),
        Some(_) => Vec::new(),
        None => note.settings.iter().filter(has_new).cloned().collect(),
    }
}

/// Gives each variable its old value again, the last one first, and reads all of them back.
pub(crate) async fn restore_settings(
    session: &mut GlobalSession<'_>,
    changes: &[Change],
) -> Result<(), ServerError> {
    let mut different = different(session, changes).await?;
    for round in 1..=ROUNDS {
        if different.is_empty() {
            break;
        }
        if round == ROUNDS {
            tokio::time::sleep(PAUSE).await;
        }
        let mut refused = Vec::new();
        for (change, _) in different {
            match session.set(&change.name, &change.old_literal()).await {
                Ok(()) => {}
                Err(ServerError::Setting(error)) => refused.push((change, error)),
                Err(broken) => return Err(broken),
            }
        }
        different = self::different(session, changes).await?;
        for (change, reason) in &mut different {
            let why = refused.iter().find(|(refused, _)| refused.name == change.name);
            *reason = why.map_or_else(|| reason.clone(), |(_, error)| error.to_string());
        }
    }
    let why: Vec<String> = different.into_iter().map(|(_, reason)| reason).collect();
    match why.is_empty() {
        true => Ok(()),
        false => Err(anyhow!("cannot restore all variables: {}", why.join("; ")).into()),
    }
}

/// Returns the changes whose variables do not have their old values, the last one first, each with what was seen.
async fn different<'a>(
    session: &mut GlobalSession<'_>,
    changes: &'a [Change],
) -> Result<Vec<(&'a Change, String)>, ServerError> {
    let mut different = Vec::new();
    for change in changes.iter().rev() {
        let name = &change.name;
        match session.get(name).await {
            Ok(now) if change.is_undone(&now) => {}
            Ok(now) => different.push((change, format!("{name} is {}", now.literal()))),
            // The plugin or component of the variable is gone, or the right to read it.
            Err(ServerError::Setting(error)) => different.push((change, error.to_string())),
            Err(broken) => return Err(broken),
        }
    }
    Ok(different)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attached::change_note::tests::{change, connection, facts};
    use crate::settings::global_value::GlobalValue;

    #[test]
    fn only_changes_that_may_be_in_effect_are_undone() {
        let number = |digits: &str| GlobalValue::Number(digits.into());
        let settings = vec![
            change("sync_binlog", number("1"), "0"),
            change("long_query_time", number("10"), "5"),
            change("hot.key_buffer_size", number("0"), "8388608"),
        ];
        let facts = facts(&[("sync_binlog", "0"), ("long_query_time", "10.000000")]);
        let mut note = ChangeNote::new(&connection("/run/x.sock"), &facts, settings, None);
        let left = |note: &ChangeNote, process| {
            let changes = left_changes(note, process, &facts);
            changes.into_iter().map(|change| change.name).collect::<Vec<_>>()
        };
        let all = ["sync_binlog", "long_query_time", "hot.key_buffer_size"];
        assert_eq!(left(&note, note.process), all);
        assert!(left(&note, ProcessStart::of(1)).is_empty(), "a restarted server");
        note.process = None;
        assert_eq!(
            left(&note, None),
            ["sync_binlog", "hot.key_buffer_size"],
            "a server of another machine"
        );
    }
}
