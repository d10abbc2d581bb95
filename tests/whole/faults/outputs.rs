//! Results that cannot be written or printed.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::fixture::home::{Home, SHORT};
use super::fixture::started::Started;
use crate::common::{beside_others, driver};

#[test]
fn run_directories_cannot_be_made() {
    let home = Home::new();
    fs::write(home.path().join("file"), "in the way").unwrap();
    for place in ["file", "file/below", "/proc/nothing"] {
        home.run(&format!("--out {place} {SHORT}"))
            .refused(1, &["cannot create", place, "--out"]);
    }
    home.assert_untouched();
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let _turn = beside_others();
    let home = Home::new();
    let run = format!("run --no-trace --server mariadb {SHORT}");
    let into_closed = |arguments: &str| {
        let mut command = home.logtrace(arguments);
        command.stdout(Stdio::piped());
        let mut started = Started::with_stdout(command, home.path());
        drop(started.child().stdout.take());
        started.ended()
    };
    for arguments in ["workloads", "--help", "doctor"] {
        let ended = into_closed(arguments);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{arguments}");
    }
    let ended = into_closed(&run);
    assert!(driver(&ended.measured()).done > 0);
    assert_eq!(ended.stderr, "");
    home.assert_nothing_left();
}

#[test]
fn a_full_device_behind_stdout_is_an_error_and_what_was_measured_stays() {
    let _turn = beside_others();
    let home = Home::new();
    let run = format!("run --no-trace --server mariadb {SHORT}");
    let into_full = |arguments: &str| {
        let full: File = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = home.logtrace(arguments);
        command.stdout(full);
        Started::with_stdout(command, home.path()).ended()
    };
    into_full("workloads").refused(1, &["cannot print", "No space left"]);
    let ended = into_full(&run);
    ended.refused(1, &["cannot print", "report.html", "No space left"]);
    assert!(driver(&ended.document()).done > 0);
    home.assert_nothing_left();
}

/// A small file system at the place of the run directories, unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: PathBuf) -> Self {
        fs::create_dir(&at).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&at);
        assert!(mount.status().unwrap().success());
        Self(at)
    }

    /// Leaves no room.
    fn fill(&self) {
        let mut filler = File::create(self.0.join("filler")).unwrap();
        while filler.write_all(&[1; 4096]).is_ok() {}
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A program that still writes there would keep it.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_of_the_run_directory_hides_no_result() {
    let _turn = beside_others();
    let home = Home::new();
    let disk = SmallDisk::mount(home.path().join("logtrace-runs"));
    let run = home.start("--no-trace --server mariadb --tables 1 --rows 500 --duration 4s --rate 200/s");
    let run = run.measuring();
    disk.fill();
    let ended = run.ended();
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    for word in [
        "achieved",
        "response",
        "a file of the load is incomplete: latency.hlog",
    ] {
        assert!(ended.stdout.contains(word), "no {word:?} in: {}", ended.stdout);
    }
    for word in ["run.json", "No space left", "logtrace-runs/"] {
        assert!(ended.stderr.contains(word), "no {word:?} in: {}", ended.stderr);
    }
    drop(disk);
    home.assert_nothing_left();
}

#[test]
fn with_room_for_the_results_alone_these_are_written() {
    let _turn = beside_others();
    let home = Home::new();
    let disk = SmallDisk::mount(home.path().join("logtrace-runs"));
    let run = home.start("--no-trace --server mariadb --tables 1 --rows 500 --duration 4s --rate 200/s");
    let run = run.measuring();
    disk.fill();
    // The document needs some 10 kB, and the report more than 100.
    let filler = File::options()
        .write(true)
        .open(home.path().join("logtrace-runs/filler"))
        .unwrap();
    let length = filler.metadata().unwrap().len();
    filler.set_len(length - (48 << 10)).unwrap();
    let ended = run.ended();
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("run.json"), "{}", ended.stderr);
    let run_dir = home.run_dirs().into_iter().find(|path| path.is_dir()).unwrap();
    let text = fs::read_to_string(run_dir.join("run.json")).unwrap();
    let document = logtrace_report::render::parse_json(&text).unwrap();
    assert!(driver(&document).done > 0);
    drop(disk);
    home.assert_nothing_left();
}
