//! A steady load that is not logtrace's.

use std::process::Command;

use crate::common::foreign::Foreign;

/// The account of the load, which nothing else uses.
pub(crate) const USER: &str = "sbtest";

/// Makes the account and its tables.
pub(crate) fn prepare(foreign: &Foreign) {
    foreign.tell("CREATE DATABASE sbtest");
    foreign.tell(&format!("CREATE USER {USER}@localhost"));
    foreign.tell(&format!("GRANT ALL ON sbtest.* TO {USER}@localhost"));
    sysbench(foreign, "prepare", &[]);
}

/// Does as many updates of an indexed column, each its own transaction, from 8 connections; without a rate as fast as
/// it goes.
pub(crate) fn updates(foreign: &Foreign, events: u32, rate_per_s: Option<u32>) {
    let rate = rate_per_s.unwrap_or(0);
    let load = [
        format!("--events={events}"),
        format!("--rate={rate}"),
        "--time=0".into(),
    ];
    let told = sysbench(foreign, "run", &load);
    let (_, count) = told.split_once("total number of events:").unwrap();
    let done: u32 = count.split_whitespace().next().unwrap().parse().unwrap();
    assert_eq!(done, events, "{told}");
}

fn sysbench(foreign: &Foreign, command: &str, more: &[String]) -> String {
    let output = Command::new("sysbench")
        .args(["oltp_update_index", "--mysql-db=sbtest", "--rand-type=uniform"])
        .args(["--threads=8", "--tables=4", "--table-size=2000"])
        .arg(format!("--mysql-user={USER}"))
        .arg(format!("--mysql-socket={}", foreign.socket().display()))
        .args(more)
        .arg(command)
        .output()
        .unwrap_or_else(|error| panic!("sysbench: {error}; scripts/setup --tests installs it"));
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    told
}
