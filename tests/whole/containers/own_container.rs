//! logtrace in a container, and a server outside of it.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::Document;
use rustix::process::Signal;

use super::container::in_namespaces;
use crate::common::sysbench::{prepare, updates};
use crate::common::{beside_others, patiently, send, server_of, total};
use crate::faults::fixture::home::Home;
use crate::faults::fixture::started::Started;
use crate::trace::rights::ENOUGH;

const EVENTS: u32 = 300;
const RATE_PER_S: u32 = 300;

/// `logtrace` in mount, network, UTS and IPC namespaces of its own, below a root on overlayfs in `base`, as root with no
/// rights but those of packaging/kubernetes.yaml.
fn contained(base: &Path, arguments: &str) -> Command {
    let mut command = in_namespaces(&["--net"], base);
    fs::create_dir(base.join("image/results")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_logtrace"), base.join("image/logtrace")).unwrap();
    let rights: String = ENOUGH.iter().map(|right| format!(",+{right}")).collect();
    command.args(["setpriv", "--pdeathsig", "KILL", "--no-new-privs"]);
    command.args([
        format!("--bounding-set=-all{rights}"),
        format!("--inh-caps=-all{rights}"),
    ]);
    command.arg("/logtrace").args(arguments.split_whitespace());
    command
}

#[test]
fn logtrace_in_a_container_of_the_hosts_pid_namespace_traces_a_server() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        prepare(&foreign);
        let home = Home::new();
        let base = home.path().join("container");
        let arguments = format!("trace --pid {} --out /results", foreign.pid());
        let mut tracing = Started::new(contained(&base, &arguments), home.path());
        foreign.wait_until_traced();
        let events = updates(&foreign, EVENTS, Some(RATE_PER_S));
        send(server_of(tracing.child()).unwrap(), Signal::INT);
        let ended = tracing.ended();
        assert_eq!(ended.code, Some(0), "{}{}", ended.stderr, ended.stdout);
        let document = document_in(&base.join("written/results"));
        let (commits, tracer) = (
            document.commits.as_ref().unwrap(),
            document.tracer.as_ref().unwrap(),
        );
        assert!((events..=events + 10).contains(&commits.count), "{commits:?}");
        assert_eq!(total(&document, |_| true), commits.total);
        assert!(
            document.unexplained * 100 <= commits.total,
            "{:?}",
            document.causes
        );
        assert_eq!((tracer.lost, tracer.unmatched), (0, 0));
        let missing: Vec<_> = tracer.probes.iter().filter(|probe| !probe.attached).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

/// `run.json` of the only run.
fn document_in(results: &Path) -> Document {
    let run = fs::read_dir(results).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(run.join("run.json")).unwrap();
    logtrace_report::parse_json(&text).unwrap()
}

/// A PID namespace with a `/proc` of its own, and one process in it.
struct Namespace(Child);

impl Namespace {
    fn new() -> Self {
        let mut command = Command::new("setpriv");
        command.args([
            "--pdeathsig",
            "KILL",
            "unshare",
            "--pid",
            "--fork",
            "--kill-child",
        ]);
        command.args(["--mount-proc", "sleep", "1000"]);
        let namespace = Self(command.spawn().unwrap());
        patiently("the namespace", || {
            let program = namespace
                .first()
                .map(|pid| fs::read_link(format!("/proc/{pid}/exe")));
            program.is_some_and(|program| program.is_ok_and(|program| program.ends_with("sleep")))
        });
        namespace
    }

    /// Its first process.
    fn first(&self) -> Option<u32> {
        server_of(&self.0)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // Its first process ends with it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_proc_of_another_pid_namespace_is_refused_with_the_remedy() {
    let namespace = Namespace::new();
    let home = Home::new();
    let inside = namespace.first().unwrap().to_string();
    let program = ["--target", &inside, "--mount", env!("CARGO_BIN_EXE_logtrace")];
    let entered = |arguments: &str| {
        let mut command = Command::new("nsenter");
        command.args(program);
        Started::new(home.at_home(command, arguments), home.path()).ended()
    };
    entered("trace --pid 1").refused(1, &["PID namespace", "/proc does not show", "nsenter"]);
    let told = entered("doctor").stdout;
    assert!(told.contains("NO  PID namespace"), "{told}");
    home.assert_untouched();
}
