//! Rights that are missing.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use super::fixture::home::{Home, SHORT, entries};
use super::fixture::started::{Ended, Started};
use crate::common::{beside_others, driver};

/// The user `nobody` of any system.
pub(crate) const NOBODY: u32 = 65534;

/// A copy of the program at home here: the one that cargo built may be in a place that is closed to others.
pub(crate) fn copied_program(home: &Home) -> PathBuf {
    let program = home.path().join("logtrace");
    if !program.exists() {
        // By another process: what a test beside this one starts meanwhile would inherit the open file, and no file that is
        // open for writing can be executed.
        let mut copy = Command::new("cp");
        let copied = copy.arg(env!("CARGO_BIN_EXE_logtrace")).arg(&program).status();
        assert!(copied.unwrap().success());
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    }
    program
}

pub(crate) fn as_nobody(home: &Home, arguments: &str) -> Ended {
    let mut command = Command::new(copied_program(home));
    command.uid(NOBODY).gid(NOBODY);
    Started::new(home.at_home(command, arguments), home.path()).ended()
}

#[test]
fn who_is_not_root_is_told_so() {
    let home = Home::new();
    as_nobody(&home, &format!("run {SHORT}")).refused(1, &["user 65534", "sudo", "logtrace doctor"]);
    let doctor = as_nobody(&home, "doctor");
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.stdout.starts_with("Run it with sudo"), "{}", doctor.stdout);
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
    without("-bpf,-perfmon,-sys_admin", home, arguments)
}

/// Root without some capabilities.
fn without(without: &str, home: &Home, arguments: &str) -> Ended {
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

/// Rights of root for private servers, and whether their programs can be asked for the version without it.
const OF_SERVERS: [(&str, bool); 5] = [
    ("setuid", false),
    ("setgid", false),
    ("chown", true),
    ("kill", true),
    ("dac_override", true),
];

#[test]
fn each_right_that_root_lacks_for_its_servers_is_told_by_command() {
    let home = Home::new();
    for (right, is_found) in OF_SERVERS {
        let name = format!("CAP_{}", right.to_uppercase());
        let doctor = without(&format!("-{right}"), &home, "doctor");
        assert_eq!(doctor.code, Some(1), "{}", doctor.stderr);
        let told = &doctor.stdout;
        assert!(told.contains("`logtrace trace` has everything"), "{told}");
        for command in ["run", "study"] {
            let verdict = format!("of `logtrace {command}` ");
            let (_, verdict) = told.split_once(&verdict).expect(told);
            assert!(verdict.lines().next().unwrap().contains(&name), "{told}");
            assert!(verdict.contains(&format!("lacks {name} (required): ")), "{told}");
        }
        if is_found {
            let run = without(&format!("-{right}"), &home, &format!("run {SHORT}"));
            run.refused(1, &[&name, "without it", "sudo", "logtrace doctor"]);
        }
    }
    home.assert_untouched();
}

/// A program that calls itself a MySQL server, and writes who runs it and its environment.
fn fake_server(home: &Home, version: &str) -> PathBuf {
    let directory = home.path().join("fake");
    fs::create_dir(&directory).unwrap();
    let seen = home.path().join("seen");
    fs::create_dir(&seen).unwrap();
    fs::set_permissions(&seen, Permissions::from_mode(0o777)).unwrap();
    let program = directory.join("mysqld");
    let script = format!(
        "#!/bin/sh\n(id -u; env) >> {seen}/$$\ncase \"$*\" in *--version*) {version};; esac\nexit 1\n",
        seen = seen.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    program
}

#[test]
fn a_servers_program_never_runs_as_root_nor_with_its_environment() {
    let _turn = beside_others();
    let home = Home::without_templates();
    let program = fake_server(&home, "echo mysqld  Ver 9.7.4 for Linux on x86_64");
    let mut command = home.logtrace(&format!("run --no-trace --server {} {SHORT}", program.display()));
    command.env("AWS_SECRET_ACCESS_KEY", "geheim");
    let ended = Started::new(command, home.path()).ended();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let calls = entries(&home.path().join("seen"));
    assert!(calls.len() >= 2, "asked for its version, and started: {calls:?}");
    for call in calls {
        let text = fs::read_to_string(call).unwrap();
        let mut lines = text.lines();
        assert_ne!(lines.next(), Some("0"), "{text}");
        let known = ["PATH=", "LANG=", "TZ=", "PWD=", "OLDPWD=", "SHLVL=", "_="];
        for line in lines {
            assert!(known.iter().any(|known| line.starts_with(known)), "{text}");
        }
    }
}

#[test]
fn a_servers_program_that_does_not_tell_its_version_is_not_waited_for() {
    let home = Home::new();
    let program = fake_server(&home, "sleep 1000");
    home.run(&format!("--no-trace --server {} {SHORT}", program.display()))
        .refused(1, &["--version", "did not end within"]);
    home.assert_untouched();
}

#[test]
fn a_program_that_a_plan_names_and_others_can_write_is_not_run_by_root() {
    let _turn = beside_others();
    let home = Home::new();
    let program = fake_server(&home, "echo mysqld  Ver 9.7.4 for Linux on x86_64");
    fs::set_permissions(program.parent().unwrap(), Permissions::from_mode(0o777)).unwrap();
    let plan = home.path().join("plan.toml");
    let text = fs::read_to_string("studies/max-write.toml").unwrap();
    let named = format!("server = \"{}\"\nflavor = \"mysql\"", program.display());
    let text = text.replace("server = \"mysql\"", &named);
    assert!(text.contains(&named), "the plan names a server");
    fs::write(&plan, text).unwrap();
    let study = |arguments: &str| {
        let command = home.logtrace(&format!("study plan.toml --only server=mysql {arguments}"));
        Started::new(command, home.path()).ended()
    };
    let refused = study("");
    refused.refused(2, &["plan.toml", "can be written by everybody", "--trust-plan"]);
    let calls = || entries(&home.path().join("seen")).len();
    assert_eq!(calls(), 0, "it did not run");
    assert_ne!(study("--trust-plan").code, Some(0));
    assert!(calls() > 0);
}

/// Plan of a workload from a file.
const CUSTOM_PLAN: &str = r#"
    name = "custom"
    title = "What it costs to sync the binary log"
    question = "How much slower are commits that sync it?"
    [base]
    workload = "FILE"
    rate = "max"
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
    [[table]]
    name = "throughput"
    title = "Requests a second"
    figure = "throughput"
    rows = "server"
    columns = "sync"
    baseline.sync = "no"
"#;

#[test]
fn a_workload_that_a_plan_names_elsewhere_and_others_can_write_is_not_used_by_root() {
    let _turn = beside_others();
    let home = Home::new();
    let open = home.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
    fs::copy("workloads/transfer.toml", open.join("transfer.toml")).unwrap();
    let study = |workload: &str, arguments: &str| {
        fs::write(
            home.path().join("plan.toml"),
            CUSTOM_PLAN.replace("FILE", workload),
        )
        .unwrap();
        let command = home.logtrace(&format!("study plan.toml --only sync=nothing-such {arguments}"));
        Started::new(command, home.path()).ended()
    };
    let words = [
        "plan.toml",
        "root does not use",
        "open can be written by everybody",
        "--trust-plan",
    ];
    let absolute = open.join("transfer.toml").display().to_string();
    for elsewhere in [absolute.as_str(), "open/../open/transfer.toml"] {
        study(elsewhere, "").refused(2, &words);
        study(elsewhere, "--trust-plan").refused(2, &["nothing-such"]);
    }
    study("open/transfer.toml", "").refused(2, &["nothing-such"]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        open.join("fifo.toml"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    study("open/fifo.toml", "").refused(2, &["open/fifo.toml", "no regular file"]);
}
