//! Running servers that killed runs left changed: `logtrace doctor --clean` gives them back, and other starts name them.

use std::fmt::Write as _;
use std::io;

use anyhow::Context;
use logtrace_common::Connection;
use logtrace_driver::Target;
use logtrace_server::{Home, LeftServer};

use super::measure_and_report::in_event_loop;
use crate::cli::login::LoginArgs;
use crate::exit::with_causes;
use crate::run::drop_tables;
use crate::say;

/// Gives each server its settings back and drops the database of the run. Adds a line for each to `text`. Returns whether
/// all succeeded; the others keep their notes.
pub(super) fn give_back(home: &Home, login: &LoginArgs, text: &mut String) -> anyhow::Result<bool> {
    let left = match LeftServer::all(&home.notes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        left => left.with_context(|| format!("cannot look through {}", home.notes.display()))?,
    };
    let mut is_clean = true;
    for server in left {
        let line = match server {
            Ok(server) => described(server, login),
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
fn described(server: LeftServer, login: &LoginArgs) -> anyhow::Result<String> {
    let endpoint = server.connection().endpoint.clone();
    let (by_hand, note) = (server.by_hand(), server.note().display().to_string());
    let given = in_event_loop(async |_| {
        let password = login.password(&server.connection().user)?;
        let connection = server.restore(password).await?;
        if let Some(database) = server.database() {
            drop_tables(Target::new(&connection, database)).await?;
        }
        Ok(())
    });
    given.with_context(|| {
        format!(
            "cannot give back the server on {endpoint}, which a killed run left changed. Type there: {by_hand} \
             Or, if this server is gone for good, remove {note}. Reason"
        )
    })?;
    server.forget()?;
    Ok(format!("gave back the server on {endpoint}: {by_hand}"))
}
