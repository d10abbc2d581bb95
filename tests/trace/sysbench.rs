//! sysbench's own load on a server: one commit an event.

use std::path::Path;
use std::process::Command;

use crate::common::foreign::Foreign;

/// Connections of the load, as many as `logtrace run` has by default.
const CONNECTIONS: u32 = 8;

/// Tables, and rows of each.
pub(crate) const SIZE: (u32, u32) = (4, 2_000);

/// A server with sysbench's tables.
pub(crate) fn with_tables(foreign: &Foreign) {
    foreign.tell("CREATE DATABASE sbtest");
    sysbench(&foreign.socket(), "prepare", &[]);
}

/// Does as many updates of an indexed column, at a rate, or as fast as it goes. Returns how many it did.
pub(crate) fn updates(socket: &Path, events: u32, rate_per_s: Option<u32>) -> u64 {
    let rate = rate_per_s.unwrap_or(0);
    let load = [
        format!("--events={events}"),
        format!("--rate={rate}"),
        "--time=0".into(),
    ];
    let told = sysbench(socket, "run", &load);
    let (_, count) = told.split_once("total number of events:").unwrap();
    count.split_whitespace().next().unwrap().parse().unwrap()
}

fn sysbench(socket: &Path, command: &str, more: &[String]) -> String {
    let (tables, rows) = SIZE;
    let output = Command::new("sysbench")
        .arg("oltp_update_index")
        .args(["--mysql-user=root", "--mysql-db=sbtest", "--rand-type=uniform"])
        .arg(format!("--mysql-socket={}", socket.display()))
        .arg(format!("--threads={CONNECTIONS}"))
        .arg(format!("--tables={tables}"))
        .arg(format!("--table-size={rows}"))
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
