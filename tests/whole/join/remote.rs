//! A server and its load in two namespaces, and what `logtrace join` makes of both.

use std::path::Path;
use std::process::Output;

use logtrace_common::Flavor;
use logtrace_report::document::Document;
use tempfile::TempDir;

use super::namespaces::{Namespaces, SERVER_ADDRESS};
use crate::common::{Ran, Running, logtrace};
use logtrace_laboratory::foreign::Foreign;

/// Port of the server, which has a namespace of its own.
const PORT: u16 = 3306;

/// How much later the clock of the client's namespace is.
pub(crate) const AHEAD_S: i64 = 1_000;

/// Server in one namespace. Its thread is in that namespace.
pub(crate) struct Remote {
    pub(crate) server: Foreign,
    namespaces: Namespaces,
}

/// Run of one namespace, trace of the other.
pub(crate) struct Measured {
    pub(crate) run: Ran,
    pub(crate) trace: Ran,
}

/// Result of `logtrace join`.
pub(crate) struct Joined {
    pub(crate) output: Output,
    out: TempDir,
}

impl Remote {
    /// Starts a server that listens in its namespace, and moves this thread there.
    pub(crate) fn start(flavor: Flavor) -> Self {
        let namespaces = Namespaces::create();
        namespaces.enter_server();
        let address = format!("{SERVER_ADDRESS}:{PORT}").parse().unwrap();
        let server = Foreign::start_at(flavor, &["performance_schema=ON"], Some(address));
        server.tell("CREATE USER bench@'%' IDENTIFIED BY ''");
        server.tell("GRANT ALL ON *.* TO bench@'%'");
        Self { server, namespaces }
    }

    /// Runs the load of the other namespace.
    pub(crate) fn load(&self, options: &str) -> Ran {
        let arguments = format!("run --server mysql://bench@{SERVER_ADDRESS}:{PORT}/ {options}");
        Running::start_as(self.namespaces.client(AHEAD_S), &arguments).ended()
    }

    /// Runs the load of the other namespace while the server is traced.
    pub(crate) fn measure(&self, options: &str) -> Measured {
        let tracing = Running::start(&format!("trace --record --pid {}", self.server.pid()));
        self.server.wait_until_traced();
        let run = self.load(&format!("--record {options}"));
        tracing.interrupt();
        let trace = tracing.ended();
        assert_eq!(trace.code(), Some(0), "{}", trace.stderr());
        Measured { run, trace }
    }
}

impl Measured {
    /// Runs `logtrace join`.
    pub(crate) fn join(&self) -> Joined {
        let out = tempfile::tempdir().unwrap();
        let dir = |ran: &Ran| ran.dir.clone().expect("it left a directory");
        let output = logtrace()
            .arg("join")
            .args([dir(&self.run), dir(&self.trace)])
            .arg("--out")
            .arg(out.path())
            .output()
            .unwrap();
        Joined { output, out }
    }
}

impl Joined {
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The only run directory.
    pub(crate) fn dir(&self) -> std::path::PathBuf {
        let mut entries = std::fs::read_dir(self.out.path()).unwrap();
        entries.next().expect("the join left a directory").unwrap().path()
    }

    pub(crate) fn document(&self) -> Document {
        assert!(
            matches!(self.output.status.code(), Some(0 | 3)),
            "{}",
            self.stderr()
        );
        document(&self.dir())
    }
}

fn document(dir: &Path) -> Document {
    let text = std::fs::read_to_string(dir.join("run.json")).unwrap();
    logtrace_report::parse_json(&text).unwrap()
}
