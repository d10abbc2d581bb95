//! A disk without space for a private server.

use super::fixture::home::{Home, LONG, SHORT};
use crate::common::disk::Disk;
use crate::common::{SERVERS, beside_others, driver, tells};
use logtrace_report::document::CaveatKind;
use logtrace_testkit::one_or_all;

#[test]
fn a_disk_that_is_full_while_a_data_directory_is_initialised() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let home = Home::without_templates();
        let disk = Disk::tmpfs(&home.path().join("templates"));
        let ended = home.run(&format!("--server {server} {SHORT}"));
        ended.refused(1, &["the disk of", disk.path().to_str().unwrap(), "is full"]);
        drop(disk);
        home.assert_only_log_left(&ended);
    }
}

#[test]
fn a_disk_that_fills_up_in_the_window() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let home = Home::new();
        let disk = Disk::ext4(&home.instances());
        let long = LONG.replace("60s", "4s");
        let run = home
            .start(&format!("--server {server} --workload insert {long}"))
            .measuring();
        disk.fill();
        let ended = run.ended();
        drop(disk);
        assert_eq!(ended.code, Some(3), "{server}: {}{}", ended.stdout, ended.stderr);
        let document = ended.measured();
        assert!(
            tells(&document, &CaveatKind::DiskFull),
            "{server}: {:?}",
            document.caveats
        );
        let driver = driver(&document);
        assert!(driver.done > 0 && driver.done < driver.requests, "{server}");
        home.assert_nothing_left();
    }
}
