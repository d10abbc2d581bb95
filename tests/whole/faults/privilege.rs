//! Rights that are missing.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::fixture::home::{Home, SHORT};
use super::fixture::started::{Ended, Started};
use crate::common::{beside_others, driver};

/// The user `nobody` of any system.
const NOBODY: u32 = 65534;

pub(crate) fn as_nobody(home: &Home, arguments: &str) -> Ended {
    // The one that cargo built may be in a place that is closed to others.
    let program = home.path().join("logtrace");
    if !program.exists() {
        // By another process: what a test beside this one starts meanwhile would inherit the open file, and no file that is
        // open for writing can be executed.
        let mut copy = Command::new("cp");
        let copied = copy.arg(env!("CARGO_BIN_EXE_logtrace")).arg(&program).status();
        assert!(copied.unwrap().success());
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = Command::new(program);
    command.uid(NOBODY).gid(NOBODY);
    Started::new(home.at_home(command, arguments), home.path()).ended()
}

#[test]
fn who_is_not_root_is_told_so() {
    let home = Home::new();
    as_nobody(&home, &format!("run {SHORT}")).refused(1, &["user 65534", "sudo", "logtrace doctor"]);
    let doctor = as_nobody(&home, "doctor");
    assert_eq!(doctor.code, Some(1));
    assert!(
        doctor.stdout.contains("running as user 65534"),
        "{}",
        doctor.stdout
    );
    home.assert_untouched();
}

#[test]
fn who_is_not_root_measures_without_tracing_where_he_may_write() {
    let _turn = beside_others();
    let home = Home::without_templates();
    let arguments = format!("run --no-trace --server mariadb {SHORT}");
    as_nobody(&home, &arguments).refused(1, &["logtrace-runs", "--out"]);
    fs::set_permissions(home.path(), Permissions::from_mode(0o777)).unwrap();
    let document = as_nobody(&home, &arguments).measured();
    assert!(driver(&document).done > 0 && document.tracer.is_none());
    home.assert_nothing_left();
}

/// Root without the capabilities that bpf(2) asks for.
fn without_bpf(home: &Home, arguments: &str) -> Ended {
    let without = "-bpf,-perfmon,-sys_admin";
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--bounding-set={without}"))
        .arg(format!("--inh-caps={without}"))
        .arg(env!("CARGO_BIN_EXE_logtrace"));
    Started::new(home.at_home(command, arguments), home.path()).ended()
}

#[test]
fn without_ebpf_only_a_run_without_tracing_is_possible() {
    let _turn = beside_others();
    let home = Home::new();
    let doctor = without_bpf(&home, "doctor");
    assert_eq!(doctor.code, Some(1), "{}", doctor.stderr);
    let named = doctor
        .stdout
        .lines()
        .any(|line| line.starts_with("NO") && line.contains("eBPF"));
    assert!(named, "{}", doctor.stdout);
    without_bpf(&home, &format!("run {SHORT}")).refused(1, &["eBPF", "CAP_BPF"]);
    assert!(!home.instances().exists(), "refused before a server is started");
    home.assert_untouched();
    let document = without_bpf(&home, &format!("run --no-trace --server mariadb {SHORT}")).measured();
    assert!(driver(&document).done > 0);
    home.assert_nothing_left();
}
