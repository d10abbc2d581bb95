//! Running server of somebody else, on this machine or another one: found, changed for a run, and given back.

pub(crate) mod change_note;
pub(crate) mod cluster_receiver;
pub(crate) mod find_server;
pub(crate) mod give_back;
pub(crate) mod note_file;
pub(crate) mod observed;
pub(crate) mod own_notes;
pub(crate) mod process_facts;
pub(crate) mod process_memory;
pub(crate) mod reach;
pub(crate) mod semisync_receiver;
pub(crate) mod server_lock;
pub(crate) mod unit_group;
pub(crate) mod unmarked_database;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};

use crate::attached::change_note::ChangeNote;
use crate::attached::give_back::restore_settings;
use crate::attached::note_file::NoteFile;
use crate::attached::own_notes::{remove_note, restore_left, write_note};
use crate::attached::reach::{Reached, reach};
use crate::attached::server_lock::ServerLock;
use crate::error::{ServerError, SettingError};
use crate::facts::server::ServerFacts;
use crate::process::pidfd::{ProcessEnd, ProcessWatch};
use crate::settings::change::ChangedVariable;
use crate::settings::other_changes::OtherChanges;
use crate::settings::set_global::{changes_to, set_undoable};
use logtrace_common::{Connection, Variable};

/// Server that ran before. Only the requested global variables are changed, and [`restore`](Self::restore) gives them
/// their old values again.
///
/// A lock on the server refuses a second logtrace. What is changed is noted on disk first: if logtrace is killed, the next
/// run on the server and [`LeftServer`](crate::LeftServer) undo it.
#[derive(Debug)]
pub struct ManagedServer {
    /// Address and account of the server.
    pub connection: Connection,
    /// Facts of the server, with the variables of the measurement.
    pub facts: ServerFacts,
    /// Watch on the process; `None` on another machine.
    watch: Option<ProcessWatch>,
    lock: ServerLock,
    note: ChangeNote,
    /// Note on disk; `None` if nothing is changed.
    file: Option<NoteFile>,
    /// Whether the run's database is dropped, if it was marked.
    is_database_dropped: bool,
}

impl ManagedServer {
    /// Connects, finds the process of a server on this machine, and sets and verifies the variables. Undoes first what a
    /// killed run left. `database` is the one that the caller creates, and drops before [`restore`](Self::restore).
    /// Notes are in the directory `notes`.
    pub async fn attach(
        connection: &Connection,
        settings: &[Variable],
        database: Option<&str>,
        notes: &Path,
    ) -> Result<Self, ServerError> {
        let Reached {
            connection,
            mut facts,
            watch,
        } = reach(connection).await?;
        let mut lock = ServerLock::acquire(&connection).await?;
        let left = restore_left(notes, &connection, &facts, &mut lock).await?;
        if left.any {
            facts = ServerFacts::collect(&connection, facts.process, false).await?;
        }
        let changes = changes_to(&mut lock.session(&connection, facts.flavor), settings).await?;
        let mut note = ChangeNote::new(&connection, &facts, changes, database);
        if let Some(database) = database {
            note.database_was_absent = !lock.database_exists(&connection, database).await?;
        }
        let file = match note.is_empty() {
            true => None,
            false => Some(write_note(notes, &note)?),
        };
        let mut server = Self {
            connection,
            facts,
            watch,
            lock,
            note,
            file,
            is_database_dropped: false,
        };
        let set = server.set().await;
        // Only now: an end before this undoes what this run did, and leaves the database of the killed one.
        match set.and_then(|()| Ok(left.take_over(database)?)) {
            Ok(()) => Ok(server),
            Err(error) => Err(server.undone_after(error).await),
        }
    }

    /// Sets and verifies the variables of the note.
    async fn set(&mut self) -> Result<(), ServerError> {
        if self.note.settings.is_empty() {
            return Ok(());
        }
        // Read again: the facts are older than the lock, which another logtrace may have held until now.
        let before = self.connection.variables().await?;
        let mut session = self.lock.session(&self.connection, self.facts.flavor);
        let set = set_undoable(&mut session, &self.note.settings).await;
        let others = self.note_others(&before).await;
        if let Err(ServerError::Setting(SettingError::Lost { names, .. })) = &set {
            // Nothing can undo it: see `rehearse`.
            self.note.settings.retain(|change| !names.contains(&change.name));
            self.write_note_again()?;
        }
        let reported = set?;
        others?;
        let all = ServerFacts::collect(&self.connection, self.facts.process.clone(), false).await?;
        self.facts.variables = all.variables;
        for (name, value) in reported {
            // Those of components and key caches may not be among all variables.
            self.facts.variables.entry(name).or_insert(value);
        }
        Ok(())
    }

    /// Notes what else differs since `before`, so that it is restored, too. Fails if that is more than other names of what was set.
    async fn note_others(&mut self, before: &BTreeMap<String, String>) -> Result<(), ServerError> {
        let after = self.connection.variables().await?;
        let OtherChanges { aliases, unexpected } = OtherChanges::between(before, &after, &self.note.settings);
        let names: Vec<&str> = self
            .note
            .settings
            .iter()
            .map(|change| change.name.as_str())
            .collect();
        let seen = |change: &ChangedVariable| {
            let new = after.get(&change.name).map_or("", String::as_str);
            format!("{} from {} to {new:?}", change.name, change.old_literal())
        };
        let others: Vec<String> = unexpected.iter().map(seen).collect();
        let error = SettingError::Others {
            set: names.join(", "),
            others: others.join(", "),
        };
        if !aliases.is_empty() || !unexpected.is_empty() {
            self.note
                .settings
                .splice(0..0, aliases.into_iter().chain(unexpected));
            self.write_note_again()?;
        }
        match others.is_empty() {
            true => Ok(()),
            false => Err(error.into()),
        }
    }

    fn write_note_again(&mut self) -> anyhow::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let written = file.replace(&self.note);
        written.with_context(|| format!("cannot write the note {}", file.path().display()))
    }

    /// Undoes what was set before an error. Returns that error; with what remains to be done, if that fails as well.
    async fn undone_after(mut self, error: ServerError) -> ServerError {
        let left = self.left_changed().unwrap_or_default();
        // The caller has not made it.
        self.note.database = None;
        match self.restore().await {
            Ok(()) => error,
            Err(undo) => anyhow!(
                "{:#}. Then this failed: {:#}. {left}",
                anyhow::Error::from(error),
                anyhow::Error::from(undo)
            )
            .into(),
        }
    }

    /// Waits until the server has ended; forever on another machine, where only lost connections show it. Only its parent
    /// can read its exit status.
    pub async fn died(&self) -> ProcessEnd {
        match &self.watch {
            Some(watch) => watch.ended().await,
            None => std::future::pending().await,
        }
    }

    /// Returns whether the server runs, as far as is known.
    pub fn is_running(&self) -> bool {
        self.watch.as_ref().is_none_or(|watch| watch.exit().is_none())
    }

    /// Returns sentences on what is still to be undone, and what undoes it; `None` if the run changes nothing.
    pub fn left_changed(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let names = self.note.settings.iter().map(|change| change.name.as_str());
        let database = self.note.database.as_ref().map(|name| format!("database {name}"));
        let left: Vec<&str> = names.chain(database.as_deref()).collect();
        Some(format!(
            "The server on {} may still have what the run changed ({}). Once it runs and answers, `logtrace doctor --clean` \
             or the next run on it undoes this, as noted in {}",
            self.connection.endpoint,
            left.join(", "),
            file.path().display()
        ))
    }

    /// Records that the run's database is dropped, unless it is not marked. Otherwise the note stays.
    pub fn database_dropped(&mut self) {
        self.is_database_dropped = true;
    }

    /// Fails if another server answers now, as behind an address that moves: its variables have other old values, and the note
    /// is still needed for the first one.
    async fn check_answering(&self) -> anyhow::Result<()> {
        let process = self.facts.process.clone();
        let facts = ServerFacts::collect(&self.connection, process, false).await?;
        ensure!(
            self.note.is_about(&self.connection, &facts),
            "another server than the one that was changed answers on {} now",
            self.connection.endpoint
        );
        Ok(())
    }

    /// Gives each variable that was changed its old value again, the last one first, and reads it back. Then removes the
    /// note, or notes that only the database is left, and gives the lock back.
    pub async fn restore(mut self) -> Result<(), ServerError> {
        let cannot = format!(
            "cannot restore the settings, type on the server: {}",
            self.note.by_hand()
        );
        if self.file.is_some() && !self.lock.is_held().await {
            // After a lost connection another logtrace may have noted the changed values as old ones.
            let lock = ServerLock::acquire(&self.connection).await;
            self.lock = lock.with_context(|| cannot.clone())?;
            self.check_answering().await.with_context(|| cannot.clone())?;
        }
        let mut session = self.lock.session(&self.connection, self.facts.flavor);
        let restored = restore_settings(&mut session, &self.note.settings).await;
        restored.context(cannot)?;
        self.note.settings.clear();
        if self.is_database_dropped {
            self.lock.drop_unmarked(&self.connection, &self.note).await?;
            self.note.database = None;
        }
        match &self.note.database {
            Some(_) => self.write_note_again()?,
            None => self.file.take().map_or(Ok(()), remove_note)?,
        }
        Ok(self.lock.release(&self.connection).await?)
    }
}
