//! A steady load that is not logtrace's: sysbench's updates of an indexed column, one commit an event.

use std::path::Path;
use std::process::Command;

use logtrace_laboratory::foreign::Foreign;

/// The account of the load, which nothing else uses.
pub(crate) const USER: &str = "sbtest";

/// Tables, and rows of each.
pub(crate) const SIZE: (u32, u32) = (4, 2_000);

/// Connections, as many as `logtrace run` has by default.
const CONNECTIONS: u32 = 8;

/// Makes the account and its tables.
pub(crate) fn prepare(foreign: &Foreign) {
    foreign.tell("CREATE DATABASE sbtest");
    foreign.tell(&format!("CREATE USER {USER}@localhost"));
    foreign.tell(&format!("GRANT ALL ON sbtest.* TO {USER}@localhost"));
    sysbench(&foreign.socket(), "prepare", &[]);
}

/// Does as many updates, at a rate, or as fast as it goes. Returns how many.
pub(crate) fn updates(foreign: &Foreign, events: u32, rate_per_s: Option<u32>) -> u64 {
    updates_at(&foreign.socket(), events, rate_per_s)
}

/// The same, on the server behind a socket.
pub(crate) fn updates_at(socket: &Path, events: u32, rate_per_s: Option<u32>) -> u64 {
    let rate = rate_per_s.unwrap_or(0);
    let load = [
        format!("--events={events}"),
        format!("--rate={rate}"),
        "--time=0".into(),
    ];
    let told = sysbench(socket, "run", &load);
    let (_, count) = told.split_once("total number of events:").unwrap();
    let done = count.split_whitespace().next().unwrap().parse().unwrap();
    assert_eq!(done, u64::from(events), "{told}");
    done
}

fn sysbench(socket: &Path, command: &str, more: &[String]) -> String {
    let (tables, rows) = SIZE;
    let output = Command::new("sysbench")
        .args(["oltp_update_index", "--mysql-db=sbtest", "--rand-type=uniform"])
        .arg(format!("--mysql-user={USER}"))
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
