//! Note of what a run changes on a running server, on disk before the first change.
//!
//! If logtrace is killed or loses the server, the note stays. The next run on the server and `logtrace doctor --clean`
//! undo what it says.

use std::io;

use procfs::process::Process;
use serde::{Deserialize, Serialize};

use crate::facts::server::ServerFacts;
use crate::settings::change::ChangedVariable;
use crate::settings::global_session::set_statement;
use logtrace_common::{Connection, Flavor};

/// Version of the format.
const SCHEMA: u32 = 3;

/// Changes that a run makes to a running server, with what undoes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangeNote {
    schema: u32,
    /// Process of the logtrace that wrote the note.
    pub(crate) logtrace: u32,
    /// Address and account, without the password.
    pub(crate) connection: Connection,
    pub(crate) flavor: Flavor,
    /// MySQL's `server_uuid`, or the host, port and data directory. A copy of a server may have the same.
    pub(crate) server: String,
    /// `hostname` of the server; `None` in schema 1.
    host: Option<String>,
    /// `datadir` of the server; `None` in schema 1.
    data_directory: Option<String>,
    /// Process of the server, if it is on this machine.
    pub(crate) process: Option<ProcessStart>,
    /// Variables in the order in which they are set.
    pub(crate) settings: Vec<ChangedVariable>,
    /// Database that the run creates and drops.
    pub(crate) database: Option<String>,
    /// Whether there was no such database before the run: then an empty one is of the run. Older notes do not say.
    #[serde(default)]
    pub(crate) database_was_absent: bool,
}

/// Process, told from a later one of the same number by its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProcessStart {
    pub(crate) pid: u32,
    /// Ticks from the boot to the start of the process (`/proc/PID/stat`).
    start_ticks: u64,
}

impl ChangeNote {
    pub(crate) fn new(
        connection: &Connection,
        facts: &ServerFacts,
        settings: Vec<ChangedVariable>,
        database: Option<&str>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            logtrace: std::process::id(),
            connection: connection.clone(),
            flavor: facts.flavor,
            server: name(facts),
            host: Some(text(facts, "hostname").to_owned()),
            data_directory: Some(text(facts, "datadir").to_owned()),
            process: facts.pid.and_then(ProcessStart::of),
            settings,
            database: database.map(str::to_owned),
            database_was_absent: false,
        }
    }

    /// Returns the database that the run may have made and not marked.
    pub(crate) fn unmarked_database(&self) -> Option<&str> {
        self.database.as_deref().filter(|_| self.database_was_absent)
    }

    pub(crate) fn parse(text: &str) -> io::Result<Self> {
        let note: Self = serde_json::from_str(text)?;
        match note.schema {
            1..=SCHEMA => Ok(note),
            other => Err(io::Error::other(format!("its schema {other} is unknown"))),
        }
    }

    /// Returns whether the run changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.database.is_none()
    }

    /// Returns whether the note is about a server. A copy of the server has another address or data directory, and the same
    /// process is the same server at every address.
    pub(crate) fn is_about(&self, connection: &Connection, facts: &ServerFacts) -> bool {
        let is = |noted: &Option<String>, name| noted.as_ref().is_none_or(|noted| noted == text(facts, name));
        let process = facts.pid.and_then(ProcessStart::of);
        self.server == name(facts)
            && is(&self.host, "hostname")
            && is(&self.data_directory, "datadir")
            && (self.connection.endpoint == connection.endpoint || self.is_of_process(process))
    }

    /// Returns whether the server was this process.
    pub(crate) fn is_of_process(&self, process: Option<ProcessStart>) -> bool {
        process.is_some() && self.process == process
    }

    /// Returns the statements that undo the changes, for a person to type.
    pub(crate) fn by_hand(&self) -> String {
        let set = |change: &ChangedVariable| set_statement(&change.name, &change.old_literal()) + ";";
        let drop =
            |database: &String| format!("DROP DATABASE IF EXISTS `{database}`; -- if logtrace made it");
        let settings = self.settings.iter().rev().map(set);
        let all: Vec<String> = settings.chain(self.database.iter().map(drop)).collect();
        all.join(" ")
    }
}

impl ProcessStart {
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let process = Process::new(i32::try_from(pid).ok()?).ok()?;
        Some(Self {
            pid,
            start_ticks: process.stat().ok()?.starttime,
        })
    }
}

/// Returns MySQL's `server_uuid`, or the host, port and data directory. They stay when the server is restarted.
pub(crate) fn name(facts: &ServerFacts) -> String {
    let text = |name| text(facts, name);
    match text("server_uuid") {
        "" => format!("{}:{}:{}", text("hostname"), text("port"), text("datadir")),
        uuid => uuid.to_owned(),
    }
}

fn text<'a>(facts: &'a ServerFacts, name: &str) -> &'a str {
    facts.variables.get(name).map_or("", String::as_str)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::settings::change::OldValue;
    use crate::settings::global_value::GlobalValue;
    use logtrace_common::{Endpoint, Password, Tls};

    pub(crate) fn facts(variables: &[(&str, &str)]) -> ServerFacts {
        ServerFacts {
            flavor: Flavor::MariaDb,
            version: "10.11.4".into(),
            process: None,
            pid: Some(std::process::id()),
            binary: None,
            variables: variables
                .iter()
                .map(|&(n, v)| (n.into(), v.into()))
                .collect::<BTreeMap<_, _>>(),
            private: false,
        }
    }

    pub(crate) fn connection(socket: &str) -> Connection {
        Connection {
            endpoint: Endpoint::Socket(socket.into()),
            user: "root".into(),
            password: Some(Password::new("geheim")),
            database: None,
            tls: Tls::default(),
            server_uid: None,
        }
    }

    pub(crate) fn change(name: &str, old: GlobalValue, new: &str) -> ChangedVariable {
        ChangedVariable {
            name: name.into(),
            old: OldValue::Read(old),
            new: Some(new.into()),
        }
    }

    pub(crate) fn note(facts: &ServerFacts) -> ChangeNote {
        let settings = vec![
            change("sync_binlog", GlobalValue::Number("1".into()), "0"),
            change("sql_mode", GlobalValue::Text("it's".into()), ""),
        ];
        ChangeNote::new(&connection("/run/x.sock"), facts, settings, Some("logtrace"))
    }

    #[test]
    fn a_note_names_old_values_and_what_to_type_and_no_password() {
        let note = note(&facts(&[("datadir", "/d/")]));
        assert_eq!(
            note.by_hand(),
            "SET GLOBAL sql_mode = 'it''s'; SET GLOBAL sync_binlog = 1; DROP DATABASE IF EXISTS `logtrace`; -- if logtrace made it"
        );
        assert_eq!(note.server, "::/d/");
        assert!(!serde_json::to_string(&note).unwrap().contains("geheim"));
    }

    #[test]
    fn a_note_is_about_one_server_and_none_of_its_copies() {
        let of = |host: &str, directory: &str, pid: Option<u32>| ServerFacts {
            pid,
            ..facts(&[("server_uuid", "u"), ("hostname", host), ("datadir", directory)])
        };
        let (here, there) = (connection("/run/x.sock"), connection("/run/y.sock"));
        let own = Some(std::process::id());
        let noted = note(&of("h", "/d/", own));
        assert!(noted.is_about(&here, &of("h", "/d/", own)));
        assert!(noted.is_about(&here, &of("h", "/d/", Some(1))), "restarted");
        assert!(noted.is_about(&there, &of("h", "/d/", own)), "by another address");
        assert!(!noted.is_about(&there, &of("h", "/d/", Some(1))));
        assert!(!noted.is_about(&here, &of("h", "/e/", own)));
        assert!(!noted.is_about(&here, &of("i", "/d/", own)));
        let remote = note(&of("h", "/d/", None));
        assert!(remote.is_about(&here, &of("h", "/d/", None)));
        assert!(!remote.is_about(&there, &of("h", "/d/", None)));
    }

    #[test]
    fn a_note_of_schema_1_is_read_and_says_the_same() {
        let text = r#"{"schema": 1, "logtrace": 7, "connection": {"endpoint": {"socket": "/run/x.sock"}, "user": "root",
            "database": null, "tls": TLS, "server_uid": null}, "flavor": "mysql", "server": "u",
            "process": {"pid": 9, "start_ticks": 5}, "settings": [{"name": "slow_query_log", "old": "ON", "new": "0"},
            {"name": "long_query_time", "old": "10.000000", "new": "5"}], "database": null}"#;
        let tls = serde_json::to_string(&Tls::default()).unwrap();
        let note = ChangeNote::parse(&text.replace("TLS", &tls)).unwrap();
        assert_eq!(
            note.by_hand(),
            "SET GLOBAL long_query_time = 10.000000; SET GLOBAL slow_query_log = 'ON';"
        );
        let number = |digits: &str| GlobalValue::Number(digits.into());
        assert!(note.settings[0].is_undone(&number("1")));
        assert!(note.settings[1].is_undone(&number("10")));
        assert!(!note.settings[1].is_undone(&number("5")));
        let mut facts = facts(&[("server_uuid", "u"), ("hostname", "h"), ("datadir", "/d/")]);
        facts.flavor = Flavor::MySql;
        assert!(note.is_about(&connection("/run/x.sock"), &facts));
        assert!(!note.is_about(&connection("/run/y.sock"), &facts));
        assert!(ChangeNote::parse(&text.replace("TLS", &tls).replace(": 1,", ": 4,")).is_err());
    }
}
