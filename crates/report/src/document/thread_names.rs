//! Names of the server's threads.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::OverTime;
use logtrace_common::inert;

use crate::document::{Document, SessionRow};

impl Document {
    /// Returns the names of threads by their ids: their connections, and those that the kernel had of the others.
    pub fn thread_names(&self, over_time: &OverTime) -> BTreeMap<u32, String> {
        let mut names = over_time.threads.clone();
        let sessions = self.holders.iter().flat_map(|holders| &holders.sessions);
        names.extend(sessions.map(|session| (session.thread, account(session))));
        names
    }
}

/// Returns the connection and its account, as `connection 17, app@10.0.0.3`.
pub(crate) fn account(session: &SessionRow) -> String {
    let SessionRow {
        connection,
        user,
        host,
        ..
    } = session;
    let account = match (user.is_empty(), host.is_empty()) {
        (true, true) => String::new(),
        (_, true) => format!(", {user}"),
        (_, false) => format!(", {user}@{host}"),
    };
    inert::line(&format!("connection {connection}{account}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_has_its_account_as_far_as_it_is_known() {
        let session = |user: &str, host: &str| SessionRow {
            connection: 17,
            user: user.to_owned(),
            host: host.to_owned(),
            ..SessionRow::default()
        };
        assert_eq!(
            account(&session("app", "10.0.0.3")),
            "connection 17, app@10.0.0.3"
        );
        assert_eq!(account(&session("event\x1b[2J", "")), "connection 17, event [2J");
        assert_eq!(account(&session("", "")), "connection 17");
    }
}
