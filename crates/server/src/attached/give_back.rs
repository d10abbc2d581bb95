//! Undoing what runs changed on running servers: at the end of a run, and after runs that were killed.

use std::io;
use std::path::Path;

use anyhow::anyhow;

use crate::attached::change_note::{ChangeNote, ProcessStart};
use crate::attached::note_file::{NoteFile, stale_notes};
use crate::attached::reach::{Reached, reach};
use crate::attached::server_lock::ServerLock;
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use crate::settings::change::ChangedVariable;
use crate::settings::companions::companions_of;
use crate::settings::global_session::{GlobalSession, set_statement};
use crate::settings::global_value::GlobalValue;
use crate::settings::undo::undo;
use crate::settings::value_match::has_value;
use logtrace_common::{Connection, Password, Tls};

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

    /// Gives the server its old settings again, verifies them, and notes that only the database is left. Drops a database that
    /// the run made and did not mark. Returns the connection, with the password. `named` is the server's address as a user
    /// wrote it now.
    pub async fn restore(
        &mut self,
        named: Option<&Connection>,
        password: Option<Password>,
    ) -> Result<Connection, ServerError> {
        let connection = Connection {
            password,
            ..connection_as(&self.note.connection, named)
        };
        let Reached {
            connection, facts, ..
        } = reach(&connection).await?;
        if !self.note.is_about(&connection, &facts) {
            return Err(anyhow!("another server listens on {} now", connection.endpoint).into());
        }
        let mut lock = ServerLock::acquire(&connection).await?;
        let mut session = lock.session(&connection, facts.flavor);
        restore_noted(&mut session, &facts, &mut self.file, &mut self.note).await?;
        lock.drop_unmarked(&connection, &self.note).await?;
        lock.release(&connection).await?;
        Ok(connection)
    }

    /// Removes the note, once everything is undone.
    pub fn forget(self) -> io::Result<()> {
        self.file.remove()
    }
}

/// Returns the noted address and account with the encryption and the server's user that somebody asks for now. The encryption is
/// not weaker than the noted one.
fn connection_as(noted: &Connection, named: Option<&Connection>) -> Connection {
    let Some(named) = named else {
        return noted.clone();
    };
    let stronger = match named.tls.mode >= noted.tls.mode {
        true => &named.tls,
        false => &noted.tls,
    };
    Connection {
        tls: Tls {
            get_server_public_key: named.tls.get_server_public_key,
            ..stronger.clone()
        },
        server_uid: named.server_uid.or(noted.server_uid),
        ..noted.clone()
    }
}

/// Gives a server the settings that a killed run noted, and notes what is left: its database, and variables that somebody else
/// changed since. These are not touched: they fail this. The note is about the server, and the session holds its lock.
pub(crate) async fn restore_noted(
    session: &mut GlobalSession<'_>,
    facts: &ServerFacts,
    file: &mut NoteFile,
    note: &mut ChangeNote,
) -> Result<(), ServerError> {
    let left = LeftChanges::read(session, facts, note).await?;
    restore_settings(session, &left.in_effect).await?;
    if !note.settings.is_empty() {
        note.settings = left.of_others.iter().map(|(change, _)| change.clone()).collect();
        let noted = file.replace(note);
        noted.map_err(|error| anyhow!("cannot write {}: {error}", file.path().display()))?;
    }
    let told: Vec<String> = left.of_others.iter().map(of_others).collect();
    match told.is_empty() {
        true => Ok(()),
        false => Err(anyhow!(
            "{}. Type on the server what is to be undone; or, if nothing is, remove {}",
            told.join("; "),
            file.path().display()
        )
        .into()),
    }
}

/// Tells of a variable that somebody else changed.
fn of_others((change, seen): &(ChangedVariable, GlobalValue)) -> String {
    let old = change.old_literal();
    format!(
        "{} is {}, which is not what the run set, and was {old} before it: somebody changed it since, so it stays. This undoes it: {};",
        change.name,
        seen.literal(),
        set_statement(&change.name, &old)
    )
}

/// Changes of a killed run that are not undone.
#[derive(Debug, Default)]
struct LeftChanges {
    in_effect: Vec<ChangedVariable>,
    /// Changes whose variables somebody else changed since, with the present values.
    of_others: Vec<(ChangedVariable, GlobalValue)>,
}

/// State of a variable after a killed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VariableState {
    Undone,
    OfTheRun,
    OfOthers,
}

impl LeftChanges {
    /// Reads the variables of a note. A server that was started since has the settings of its own files.
    async fn read(
        session: &mut GlobalSession<'_>,
        facts: &ServerFacts,
        note: &ChangeNote,
    ) -> Result<Self, ServerError> {
        let mut left = Self::default();
        let process = facts.pid.and_then(ProcessStart::of);
        if note.process.is_some() && !note.is_of_process(process) {
            return Ok(left);
        }
        // Companions are before what changes them.
        for change in note.settings.iter().rev() {
            match session.get(&change.name).await {
                Ok(now) => match state(change, &now, &left.of_others) {
                    VariableState::Undone => {}
                    VariableState::OfTheRun => left.in_effect.push(change.clone()),
                    VariableState::OfOthers => left.of_others.push((change.clone(), now)),
                },
                // The restore says why.
                Err(ServerError::Setting(_)) => left.in_effect.push(change.clone()),
                Err(broken) => return Err(broken),
            }
        }
        left.in_effect.reverse();
        left.of_others.reverse();
        Ok(left)
    }
}

/// Returns the state of a variable that has the value `now`. The value of a companion in the run is not known: it is that of
/// somebody else if that of the variable is which changed it.
fn state(
    change: &ChangedVariable,
    now: &GlobalValue,
    of_others: &[(ChangedVariable, GlobalValue)],
) -> VariableState {
    let is_companion_of =
        |other: &ChangedVariable| companions_of(&other.name).any(|name| name == change.name);
    let is_of_run = match &change.new {
        Some(new) => has_value(&change.name, new, &now.to_string()),
        None => !of_others.iter().any(|(other, _)| is_companion_of(other)),
    };
    match (change.is_undone(now), is_of_run) {
        (true, _) => VariableState::Undone,
        (false, true) => VariableState::OfTheRun,
        (false, false) => VariableState::OfOthers,
    }
}

/// Gives each variable its old value again, the last one first, and reads all of them back.
pub(crate) async fn restore_settings(
    session: &mut GlobalSession<'_>,
    changes: &[ChangedVariable],
) -> Result<(), ServerError> {
    let left = undo(session, changes).await?;
    let why: Vec<String> = left.into_iter().map(|(_, reason)| reason).collect();
    match why.is_empty() {
        true => Ok(()),
        false => Err(anyhow!("cannot restore all variables: {}", why.join("; ")).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attached::change_note::tests::change;
    use crate::connection::parse_dsn;

    #[test]
    fn a_server_is_given_back_with_the_stronger_encryption_of_the_note_and_the_address() {
        let address = |parameters: &str| parse_dsn(&format!("mysql://u@127.0.0.1:1/?{parameters}")).unwrap();
        let tls = |noted: &str, named: &str| connection_as(&address(noted), Some(&address(named))).tls;
        let verify = "ssl-mode=verify-ca&ssl-ca=/ca";
        for (noted, named, stronger) in [
            ("get-server-public-key=true", verify, verify),
            ("get-server-public-key=true", "", ""),
            (verify, "ssl-mode=required", verify),
            (
                verify,
                "ssl-mode=verify-ca&ssl-ca=/other",
                "ssl-mode=verify-ca&ssl-ca=/other",
            ),
        ] {
            assert_eq!(tls(noted, named), address(stronger).tls, "{noted}, {named}");
        }
        let noted = address("get-server-public-key=true&server-user=7");
        assert_eq!(connection_as(&noted, None), noted);
        assert_eq!(connection_as(&noted, Some(&address(verify))).server_uid, Some(7));
    }

    #[test]
    fn a_value_of_the_run_is_told_from_the_old_one_and_from_that_of_somebody_else() {
        let number = |digits: &str| GlobalValue::Number(digits.into());
        let set = change("innodb_io_capacity", number("200"), "5K");
        let companion = ChangedVariable {
            name: "innodb_io_capacity_max".into(),
            new: None,
            ..change("", number("2000"), "")
        };
        let of = |change: &ChangedVariable, now: &str, of_others: &[(ChangedVariable, GlobalValue)]| {
            state(change, &number(now), of_others)
        };
        assert_eq!(of(&set, "200", &[]), VariableState::Undone);
        assert_eq!(of(&set, "5120", &[]), VariableState::OfTheRun);
        assert_eq!(of(&set, "300", &[]), VariableState::OfOthers);
        assert_eq!(of(&companion, "2000", &[]), VariableState::Undone);
        assert_eq!(of(&companion, "10240", &[]), VariableState::OfTheRun);
        let others = [(set, number("300"))];
        assert_eq!(of(&companion, "2000", &others), VariableState::Undone);
        assert_eq!(of(&companion, "10240", &others), VariableState::OfOthers);
    }
}
