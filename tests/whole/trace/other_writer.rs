//! A process that writes to the file system of the server's logs is told with its bytes.

use std::process::{Command, Stdio};
use std::thread;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_testkit::one_or_all;

use crate::common::sysbench::{prepare, updates_at};
use crate::common::{Running, alone};

/// MiB that the process writes.
const MIB: u64 = 200;

#[test]
fn a_process_that_writes_to_the_disk_of_the_logs_is_told_with_its_bytes() {
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
            let written = Command::new("dd")
                .args(["if=/dev/zero", "bs=1M", "oflag=dsync"])
                .arg(format!("count={MIB}"))
                .arg(format!("of={}", beside.path().join("filling").display()))
                .stderr(Stdio::null())
                .status();
            assert!(written.unwrap().success());
        });
        tracing.interrupt();
        let ran = tracing.ended();
        let processes = ran.document().holders.unwrap().processes;
        let dd = processes.iter().find(|process| process.name == "dd");
        assert_eq!(
            dd.map(|dd| dd.written),
            Some(MIB << 20),
            "{flavor}: {processes:?}"
        );
    }
}
