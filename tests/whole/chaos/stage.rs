//! Where rounds take place: a home, a study, and servers that were running before.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use rustix::process::{Pid, Signal, kill_process};

use super::round::{Round, Victim, Work};
use crate::faults::fixture::home::{Home, entries};
use crate::faults::fixture::leftovers::processes_with;
use crate::faults::fixture::started::{Ended, Started};

/// Load of each run.
const LOAD: &str = "--tables 1 --rows 500 --warmup 300ms --duration 2s --rate 200/s";

/// Settings that a run on a running server changes.
const SET: &str = "--set sync_binlog=0 --set long_query_time=5";

/// Two cells of one server.
const PLAN: &str = r#"name = "small"
title = "What it costs to sync the binary log"
[base]
workload = "update_key"
tables = 1
rows = 500
connections = 4
rate = "max"
warmup = "200ms"
duration = "1s"
repeats = 1
[[axis]]
name = "server"
[[axis.level]]
name = "mysql"
server = "mysql"
[[axis.level]]
name = "mariadb"
server = "mariadb"
[[axis]]
name = "sync"
[[axis.level]]
name = "no"
settings.sync_binlog = 0
[[axis.level]]
name = "each"
settings.sync_binlog = 1
"#;

/// Global variables of a server, with their values.
pub(super) type Settings = Vec<(String, Option<String>)>;

/// Home of the rounds, with the servers of both flavors that were running before.
pub(super) struct Stage {
    pub(super) home: Home,
    running: Vec<(Flavor, Foreign)>,
}

impl Stage {
    pub(super) fn new() -> Self {
        let home = Home::new();
        fs::write(home.path().join("plan.toml"), PLAN).unwrap();
        Self {
            home,
            running: Vec::new(),
        }
    }

    /// Returns the running server of a flavor; starts it if there is none.
    pub(super) fn running(&mut self, flavor: Flavor) -> &Foreign {
        if !self.running.iter().any(|(has, _)| *has == flavor) {
            self.running.push((flavor, Foreign::start(flavor)));
        }
        let found = self.running.iter().find(|(has, _)| *has == flavor);
        &found.unwrap().1
    }

    /// Ends the running server of a flavor, which may have ended already.
    pub(super) fn forget_running(&mut self, flavor: Flavor) {
        self.running.retain(|(has, _)| *has != flavor);
    }

    /// Removes the notes of running servers, which have ended.
    pub(super) fn forget_notes(&self) {
        for note in entries(&self.home.path().join("notes")) {
            fs::remove_file(note).unwrap();
        }
    }

    /// Returns the directory of the study.
    pub(super) fn study(&self) -> PathBuf {
        self.home.path().join("study")
    }

    /// Returns the command of the study, with more arguments.
    pub(super) fn study_command(&self, flavor: Flavor, more: &str) -> Command {
        let server = flavor.as_str();
        self.home.logtrace(&format!(
            "study plan.toml --only server={server} --out study {more}"
        ))
    }

    /// Starts the work of a round, kills the victims at its time, and waits for the end. Returns the result, and whether a
    /// server was killed.
    pub(super) fn play(&mut self, round: &Round) -> (Ended, bool) {
        let command = self.command(round);
        let work = Started::new(command, self.home.path());
        sleep(round.after);
        let killed = self.kill(round, work.id());
        (work.ended(), killed)
    }

    fn command(&mut self, round: &Round) -> Command {
        let server = round.flavor.as_str();
        let arguments = match round.work {
            Work::PrivateRun => format!("run --server {server} {LOAD}"),
            Work::ImageRun => format!("run --server {server} --fs ext4 {LOAD}"),
            Work::RunningServer => {
                let address = self.running(round.flavor).address("root");
                format!("run --server {address} {SET} {LOAD}")
            }
            Work::Trace => {
                let pid = self.running(round.flavor).pid();
                format!("trace --pid {pid} --duration 3s")
            }
            Work::Study => return self.study_command(round.flavor, ""),
        };
        let mut command = self.home.logtrace(&arguments);
        command.stdin(Stdio::null());
        command
    }

    /// Kills the victims of a round. Returns whether there was a server to kill.
    fn kill(&mut self, round: &Round, logtrace: u32) -> bool {
        let servers = match round.work {
            _ if !round.ends_server() => Vec::new(),
            Work::RunningServer | Work::Trace => vec![self.running(round.flavor).pid()],
            Work::PrivateRun | Work::ImageRun | Work::Study => self.private_servers(),
        };
        match round.victim {
            Victim::Logtrace(signal) => kill(logtrace, signal),
            Victim::Both => kill(logtrace, Signal::KILL),
            Victim::Server => {}
        }
        for &server in &servers {
            kill(server, Signal::KILL);
        }
        !servers.is_empty()
    }

    /// Returns the private servers that run now.
    fn private_servers(&self) -> Vec<u32> {
        let home = self.home.path().to_string_lossy().into_owned();
        let named = processes_with(&home).filter_map(|process| process.parse().ok());
        let is_server = |process: &u32| {
            let program = fs::read_link(format!("/proc/{process}/exe"));
            program.is_ok_and(|program| !program.ends_with("logtrace"))
        };
        named.filter(is_server).collect()
    }

    /// Returns all run directories, those of the study too.
    pub(super) fn run_dirs(&self) -> Vec<PathBuf> {
        let cells = entries(&self.study().join("cells")).into_iter();
        let turns = cells.flat_map(|cell| entries(&cell));
        self.home.run_dirs().into_iter().chain(turns).collect()
    }
}

/// Sends a signal to a process that may have ended.
fn kill(process: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    let _ = kill_process(pid, signal);
}

/// Reads the settings of a server, without what changes by itself.
pub(super) fn settings(server: &Foreign) -> Settings {
    let mut all: Settings = server.ask_all("SHOW GLOBAL VARIABLES");
    all.retain(|(name, _)| !name.starts_with("gtid_") && name != "timestamp");
    all
}
