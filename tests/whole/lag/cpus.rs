//! A server and logtrace on CPUs of their own.

use std::fs;
use std::process;

use logtrace_laboratory::foreign::Foreign;

use crate::common::{Running, beside_others, logtrace, patiently, run, workload};

/// CPUs that a process may run on, as the kernel writes them.
fn allowed(pid: u32) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find(|line| line.starts_with("Cpus_allowed_list:"))?;
    Some(line.split_whitespace().last()?.to_owned())
}

#[test]
fn the_server_and_the_load_run_on_their_cpus_alone() {
    let _turn = beside_others();
    let running = Running::start(
        "run --server mariadb --cpus server=0 client=1 --rate 100/s --duration 3s --warmup 500ms --rows 1000",
    );
    patiently("the server on CPU 0", || {
        running
            .server()
            .is_some_and(|server| allowed(server).as_deref() == Some("0"))
    });
    assert_eq!(allowed(running.pid()).as_deref(), Some("1"));
    let ran = running.ended();
    let document = ran.good();
    let cpus = workload(&document).cpus.as_ref().unwrap();
    assert_eq!(
        (cpus.server.as_deref(), cpus.client.as_deref()),
        (Some("0"), Some("1"))
    );
    assert!(
        ran.stdout().contains("server on CPU 0, client on CPU 1"),
        "{}",
        ran.stdout()
    );
}

#[test]
fn a_server_has_all_cpus_if_logtrace_alone_has_its_own() {
    let _turn = beside_others();
    let all = allowed(process::id()).unwrap();
    let ran = run(
        "--server mariadb --cpus client=1 --rate 100/s --duration 1s --warmup 100ms --rows 1000 --no-trace",
    );
    let document = ran.good();
    let cpus = workload(&document).cpus.as_ref().unwrap();
    assert_eq!(
        (cpus.server.as_deref(), cpus.client.as_deref()),
        (Some(all.as_str()), Some("1"))
    );
}

#[test]
fn cpus_that_cannot_be_had_are_refused() {
    let _turn = beside_others();
    let foreign = Foreign::start(logtrace_common::Flavor::MariaDb);
    let running = format!("mysql://root@localhost/?socket={}", foreign.socket().display());
    for (arguments, said) in [
        (
            vec!["--cpus", "server=1000"],
            "CPU 1000 is none of those that logtrace may use",
        ),
        (vec!["--cpus", "server=x"], "does not list CPUs"),
        (vec!["--cpus", "both=1"], "server=CPUS or client=CPUS"),
        (vec!["--cpus", "server=0", "server=1"], "each side has one list"),
        (
            vec!["--cpus", "server=0", "--server", &running],
            "a running server has its own CPUs",
        ),
    ] {
        let output = logtrace().arg("run").args(&arguments).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
    }
}
