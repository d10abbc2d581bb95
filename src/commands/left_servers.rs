//! Running servers that killed runs left changed: `logtrace doctor --clean` gives them back, and other starts name them.

use std::fmt::Write as _;
use std::io;

use anyhow::Context;
use logtrace_common::{Connection, Password};
use logtrace_driver::Target;
use logtrace_measure::run::drop_tables;
use logtrace_measure::say;
use logtrace_server::{Home, LeftServer, write_dsn};

use super::measure_and_report::in_event_loop;
use crate::cli::doctor::DoctorArgs;
use crate::cli::login::LoginArgs;
use crate::exit::{UsageError, with_causes};

/// Passwords for servers that killed runs left changed. One that nobody types goes only to the server that was named.
pub(super) struct Passwords<'a> {
    login: &'a LoginArgs,
    server: Option<&'a Connection>,
}

impl<'a> Passwords<'a> {
    /// Fails if an option names a password and nothing names its server.
    pub(super) fn of(arguments: &'a DoctorArgs) -> Result<Self, UsageError> {
        let DoctorArgs { login, server, .. } = arguments;
        if login.names_file() && server.is_none() {
            return Err(UsageError(
                "the password in the file is for one server: add its address, as `run --server` takes it"
                    .to_owned(),
            ));
        }
        Ok(Self {
            login,
            server: server.as_ref(),
        })
    }

    /// Returns the address as it was named, if it is that of a server.
    fn named(&self, left: &Connection) -> Option<&'a Connection> {
        let is_it = |named: &&Connection| (&named.endpoint, &named.user) == (&left.endpoint, &left.user);
        self.server.filter(is_it)
    }

    /// Returns the password for a server, if there is one for it.
    fn of_server(&self, left: &Connection) -> anyhow::Result<Option<Password>> {
        let is_for_it = match self.server {
            Some(_) => self.named(left).is_some(),
            None => self.login.asks(),
        };
        match is_for_it {
            true => self.login.password(left),
            false => Ok(None),
        }
    }
}

/// Gives each server its settings back and drops the database of the run. Adds a line for each to `text`. Returns whether
/// all succeeded; the others keep their notes.
pub(super) fn give_back(home: &Home, passwords: &Passwords<'_>, text: &mut String) -> anyhow::Result<bool> {
    let left = match LeftServer::all(&home.notes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        left => left.with_context(|| format!("cannot look through {}", home.notes.display()))?,
    };
    let mut is_clean = true;
    for server in left {
        let line = match server {
            Ok(server) => described(server, passwords),
            Err(error) => Err(error.into()),
        };
        match line {
            Ok(line) => writeln!(text, "{line}")?,
            Err(error) => {
                is_clean = false;
                writeln!(text, "NO  {}", with_causes(error))?;
            }
        }
    }
    Ok(is_clean)
}

/// Says on stderr which servers killed runs left changed, and what gives them back. Changes nothing on a server. Leaves out
/// the server of this run, which gets its settings back before it is measured.
pub(super) fn name_left(home: &Home, measured: Option<&Connection>) {
    // Without notes, or without the right to read them, nothing is known.
    let all = LeftServer::all(&home.notes).unwrap_or_default();
    for server in all.into_iter().flatten() {
        let endpoint = &server.connection().endpoint;
        if measured.is_none_or(|connection| connection.endpoint != *endpoint) {
            let by_hand = server.by_hand();
            let line = format!(
                "a killed run left the server on {endpoint} changed: `logtrace doctor --clean` gives it back, or type there: {by_hand}"
            );
            say::line(&line);
        }
    }
}

/// Gives one server back. Returns the line that says so, or an error with what to type.
fn described(mut server: LeftServer, passwords: &Passwords<'_>) -> anyhow::Result<String> {
    let endpoint = server.connection().endpoint.clone();
    let address = write_dsn(server.connection());
    let (by_hand, note) = (server.by_hand(), server.note().display().to_string());
    let given = in_event_loop(async |_| {
        let password = passwords.of_server(server.connection())?;
        let named = passwords.named(server.connection());
        let connection = server.restore(named, password).await?;
        match server.database() {
            Some(database) => drop_tables(Target::new(&connection, database)).await,
            None => Ok(true),
        }
    });
    let is_dropped = given.with_context(|| {
        let by_hand = server.by_hand();
        format!(
            "cannot give back the server on {endpoint}, which a killed run left changed. If it needs a password, name it: \
             `logtrace doctor --clean '{address}'`. Or type there: {by_hand} \
             Or, if this server is gone for good, remove {note}. Reason"
        )
    })?;
    let stays = match (is_dropped, server.database()) {
        (false, Some(database)) => format!(
            " The database {database} stays, because logtrace did not make it or cannot tell: remove it if nobody needs it"
        ),
        _ => String::new(),
    };
    server.forget()?;
    Ok(format!("gave back the server on {endpoint}: {by_hand}{stays}"))
}
