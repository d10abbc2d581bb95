//! Processes that write to the file system of the server's logs are told first, with their bytes.

use std::process::{Command, Stdio};
use std::thread;

use logtrace_common::{Flavor, units};
use logtrace_laboratory::foreign::Foreign;
use logtrace_testkit::one_or_all;

use crate::common::sysbench::{prepare, updates_at};
use crate::common::{Running, alone};

/// Processes that write at the same time, and MiB that each of them writes.
const WRITERS: u64 = 4;
const MIB: u64 = 50;

#[test]
fn processes_that_write_to_the_disk_of_the_logs_are_told_first_with_their_bytes() {
    let _alone = alone();
    for &flavor in one_or_all(&[Flavor::MySql, Flavor::MariaDb]) {
        let foreign = Foreign::start(flavor);
        prepare(&foreign);
        let data = foreign.ask::<String>("SELECT @@datadir");
        let beside = tempfile::tempdir_in(format!("{data}/..")).unwrap();
        let tracing = Running::start(&format!("trace --pid {}", foreign.pid()));
        foreign.wait_until_traced();
        let socket = foreign.socket();
        // The server has used its logs.
        updates_at(&socket, 30, None);
        thread::scope(|scope| {
            scope.spawn(|| updates_at(&socket, 300, Some(150)));
            let started = (0..WRITERS).map(|number| {
                Command::new("dd")
                    .args(["if=/dev/zero", "bs=1M", "oflag=dsync"])
                    .arg(format!("count={MIB}"))
                    .arg(format!("of={}", beside.path().join(number.to_string()).display()))
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap()
            });
            for mut writer in started.collect::<Vec<_>>() {
                assert!(writer.wait().unwrap().success());
            }
        });
        tracing.interrupt();
        let ran = tracing.ended();
        let processes = ran.document().holders.unwrap().processes;
        let dd = processes.iter().find(|process| process.name == "dd");
        assert_eq!(
            dd.map(|dd| dd.written),
            Some((WRITERS * MIB) << 20),
            "{flavor}: {processes:?}"
        );
        let told = format!(
            "The process dd wrote {} to the file system of the logs",
            units::bytes((WRITERS * MIB) << 20)
        );
        assert!(ran.accused().contains(&told), "{flavor}: {}", ran.stdout());
    }
}
