//! Words for a session: its connection or thread, and its statement.

use logtrace_common::inert::shortened;

use crate::document::thread_names::account;
use crate::document::{Document, Holders, NameSource, SessionRow};

/// Most letters of a statement in a sentence.
const LETTERS: usize = 120;

/// Returns the connection of a thread, or else the thread. `session` is the connection at that time, if it is known.
pub(super) fn name(document: &Document, tid: u32, session: Option<&SessionRow>) -> String {
    let known = session.or_else(|| last(document, tid));
    known.map_or_else(|| format!("thread {tid}"), account)
}

/// Returns the same with its statement in brackets, or with what would name it.
pub(super) fn with_statement(document: &Document, tid: u32, session: Option<&SessionRow>) -> String {
    let name = name(document, tid, session);
    let known = session.or_else(|| last(document, tid));
    let words = match known {
        Some(session) => statement(session),
        None => document.holders.as_ref().and_then(missing).map(str::to_owned),
    };
    words.map_or_else(|| name.clone(), |words| format!("{name} ({words})"))
}

/// Returns the statement of a connection, if it is known.
pub(super) fn statement(session: &SessionRow) -> Option<String> {
    let statement = session.statement.as_deref();
    statement.map(|statement| shortened(statement, LETTERS))
}

/// Returns why a thread has no name, if that can be changed.
pub(super) fn missing(holders: &Holders) -> Option<&'static str> {
    match holders.names {
        NameSource::Server | NameSource::ThreadPool => None,
        NameSource::NoLogin => Some("a login names its statement"),
        NameSource::Refused => Some("the login may not see its statement"),
    }
}

/// Returns the last connection of a thread.
fn last(document: &Document, tid: u32) -> Option<&SessionRow> {
    let mut sessions = document.holders.iter().flat_map(|holders| &holders.sessions);
    sessions.find(|session| session.thread == tid)
}
