//! Rights that tracing needs, and those that `logtrace trace`, `run` and `study` give up.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use crate::common::{beside_others, patiently, send, tells};
use crate::faults::fixture::home::{Home, LONG};
use crate::faults::fixture::started::Started;
use crate::faults::privilege::{NOBODY, copied_program};
use crate::study::studied::{PLAN, Place};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::CaveatKind;

/// Rights with which any user can trace on Linux 6.6 and later.
pub(crate) const ENOUGH: [&str; 4] = ["bpf", "perfmon", "sys_ptrace", "syslog"];

/// `logtrace` of the user nobody with these rights alone.
pub(crate) fn with_rights(home: &Home, rights: &[&str], arguments: &str) -> Started {
    fs::set_permissions(home.path(), Permissions::from_mode(0o777)).unwrap();
    let mut command = Command::new("setpriv");
    let user = format!("--reuid={NOBODY}");
    command.args([&user, "--regid=65534", "--clear-groups"]);
    let list: Vec<String> = rights.iter().map(|right| format!("+{right}")).collect();
    let list = ["-all".to_owned()]
        .into_iter()
        .chain(list)
        .collect::<Vec<_>>()
        .join(",");
    command.args([format!("--inh-caps={list}"), format!("--ambient-caps={list}")]);
    command.arg(copied_program(home));
    Started::new(home.at_home(command, arguments), home.path())
}

/// The status of each thread of a process. One that ends meanwhile has none.
fn statuses(pid: u32) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok())
        .collect()
}

/// A value in the status of a thread.
fn value(status: &str, name: &str) -> String {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim().to_owned()
}

/// A value in the status of each thread of a process.
fn status_of_threads(pid: u32, name: &str) -> Vec<String> {
    statuses(pid).iter().map(|status| value(status, name)).collect()
}

/// Whether these are the rights that root keeps: CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER; CAP_SYS_NICE where RLIMIT_NICE
/// cannot be raised.
fn is_what_root_keeps(held: &str) -> bool {
    ["000000000000000b", "000000000080000b"].contains(&held)
}

/// Threads of a run that read the records and explain them, and the one that waits for signals.
const READERS: [&str; 4] = [
    "logtrace-drain",
    "logtrace-watch",
    "logtrace-sink",
    // The kernel cuts names.
    "logtrace-signal",
];

/// Whether the readers of a process are all there and have given up their rights for good.
fn readers_gave_up(pid: u32) -> bool {
    let statuses = statuses(pid);
    READERS.iter().all(|reader| {
        let of_reader = statuses.iter().find(|status| value(status, "Name") == *reader);
        of_reader.is_some_and(|status| {
            let is_kept = |name| is_what_root_keeps(&value(status, name));
            let is_none = |name| value(status, name) == "0000000000000000";
            is_kept("CapEff")
                && is_kept("CapPrm")
                && is_none("CapInh")
                && is_none("CapAmb")
                && value(status, "NoNewPrivs") == "1"
        })
    })
}

/// Checks that the main thread of a process, which stops servers and puts settings back, has all rights of this one.
fn assert_main_keeps_its_rights(pid: u32) {
    let main = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let own = fs::read_to_string("/proc/self/status").unwrap();
    for name in ["CapEff", "CapPrm"] {
        assert_eq!(value(&main, name), value(&own, name), "{name}");
    }
}

#[test]
fn any_user_with_four_rights_can_trace_and_keeps_none() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        for options in ["", "--detail full", "--sample 50%:1s"] {
            let foreign = Foreign::start(flavor);
            foreign.tell("CREATE DATABASE d");
            foreign.tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
            let home = Home::new();
            let arguments = format!("trace --pid {} {options}", foreign.pid());
            let tracing = with_rights(&home, &ENOUGH, &arguments);
            tracing.waiting_for("the probes", || foreign.changed_code_bytes() > 1);
            tracing.waiting_for("the end of the rights", || {
                let held = status_of_threads(tracing.id(), "CapPrm");
                held.len() > 2 && held.iter().all(|held| held == "0000000000000000")
            });
            let commits: u64 = 200;
            // Longer than two bursts of a sample.
            let pause = Duration::from_millis(if options.contains("--sample") { 15 } else { 0 });
            for number in 0..commits {
                foreign.tell(&format!("INSERT INTO d.t VALUES ({number})"));
                sleep(pause);
            }
            for name in ["CapEff", "CapPrm", "CapInh", "CapAmb"] {
                let held = status_of_threads(tracing.id(), name);
                assert!(
                    held.iter().all(|held| held == "0000000000000000"),
                    "{name}: {held:?}"
                );
            }
            let cannot_gain = status_of_threads(tracing.id(), "NoNewPrivs");
            assert!(cannot_gain.iter().all(|set| set == "1"), "{cannot_gain:?}");
            tracing.signal(Signal::INT);
            let document = tracing.ended().measured();
            let seen = document.commits.as_ref().unwrap();
            let charged: u64 = document.causes.iter().map(|cause| cause.total).sum();
            assert_eq!(charged, seen.total);
            match options.contains("--sample") {
                false => assert_eq!(seen.count, commits, "{flavor} {options}"),
                true => assert!(seen.count > 0 && seen.count < commits, "{flavor}: {}", seen.count),
            }
            let tracer = document.tracer.as_ref().unwrap();
            assert_eq!(tracer.lost, 0);
            let missing: Vec<_> = tracer.probes.iter().filter(|probe| !probe.attached).collect();
            assert!(missing.is_empty(), "{missing:?}");
            // They are read from the memory of another user's process.
            assert!(
                !tells(&document, &CaveatKind::UnknownNames),
                "{:?}",
                document.caveats
            );
            home.assert_nothing_left();
        }
    }
}

#[test]
fn root_keeps_what_writing_results_needs() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MariaDb);
    let home = Home::new();
    let command = home.logtrace(&format!("trace --pid {}", foreign.pid()));
    let tracing = Started::new(command, home.path());
    tracing.waiting_for("the end of the rights", || {
        let held = status_of_threads(tracing.id(), "CapPrm");
        held.len() > 2 && held.iter().all(|held| is_what_root_keeps(held))
    });
    tracing.signal(Signal::INT);
    tracing.ended().measured();
    home.assert_nothing_left();
}

#[test]
fn the_readers_of_a_run_give_up_their_rights_and_its_server_is_still_stopped() {
    let _turn = beside_others();
    for options in ["", "--detail full", "--sample 50%:1s"] {
        let home = Home::new();
        let running = home.start(&format!("--server mariadb {options} {LONG}"));
        running.waiting_for("the end of the readers' rights", || readers_gave_up(running.id()));
        let running = running.measuring();
        assert!(readers_gave_up(running.id()), "{options}: they do not come back");
        assert_main_keeps_its_rights(running.id());
        running.signal(Signal::INT);
        assert!(running.ended().measured().commits.unwrap().count > 0);
        home.assert_nothing_left();
    }
}

#[test]
fn the_readers_of_a_study_give_up_their_rights_in_each_window() {
    let _turn = beside_others();
    let place = Place::with(PLAN);
    let mut study = place.study("--only server=mariadb").spawn().unwrap();
    for window in 1..=2 {
        patiently("the end of the readers' rights", || readers_gave_up(study.id()));
        assert_main_keeps_its_rights(study.id());
        place.wait_for(window, &mut study);
    }
    send(study.id(), Signal::INT);
    assert_eq!(study.wait().unwrap().code(), Some(3));
    place.assert_nothing_left();
}

#[test]
fn each_right_that_is_missing_is_told_with_what_it_is_for() {
    let home = Home::new();
    let doctor = |rights: &[&str]| with_rights(&home, rights, "doctor").ended();
    for (number, right) in ENOUGH.into_iter().enumerate() {
        let name = format!("CAP_{}", right.to_uppercase());
        let others: Vec<&str> = ENOUGH.into_iter().filter(|&other| other != right).collect();
        let told = doctor(&others);
        let lines: Vec<&str> = told.stdout.lines().collect();
        let at = lines.iter().position(|line| line.contains(&name)).unwrap();
        assert!(
            lines[at].contains("missing (running as user 65534)"),
            "{}",
            told.stdout
        );
        assert!(lines[at + 1].contains("without it"), "{}", told.stdout);
        let is_required = number < 3;
        let need = if is_required { "required" } else { "optional" };
        let lacks = format!("lacks {name} ({need}): ");
        // Of a trace, a run and a study.
        assert_eq!(told.stdout.matches(&lacks).count(), 3, "{}", told.stdout);
        assert_eq!(lines[at].starts_with("NO"), is_required, "{}", told.stdout);
        if is_required {
            let refused = with_rights(&home, &others, "trace --pid 1").ended();
            refused.refused(1, &[&name, "without it", "sudo", "logtrace doctor"]);
            let errors = refused.stderr.lines().filter(|line| line.contains("without it"));
            assert_eq!(errors.count(), 1, "{}", refused.stderr);
        }
    }
    let told = doctor(&ENOUGH);
    assert!(
        told.stdout
            .contains("`logtrace trace` has everything that it needs"),
        "{}",
        told.stdout
    );
    assert!(told.stdout.contains("of `logtrace run` "), "{}", told.stdout);
    home.assert_untouched();
}

#[test]
fn a_pid_namespace_of_ones_own_is_refused_with_the_remedy() {
    let home = Home::new();
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--mount-proc"]);
    command.arg(env!("CARGO_BIN_EXE_logtrace"));
    let command = home.at_home(command, "trace --pid 1");
    let ended = Started::new(command, home.path()).ended();
    ended.refused(1, &["PID namespace", "--pid=host", "hostPID"]);
    home.assert_untouched();
}
