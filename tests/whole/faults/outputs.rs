//! Results that cannot be written or printed.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::fixture::home::{Home, SHORT};
use super::fixture::started::Started;
use super::privilege::NOBODY;
use crate::common::{beside_others, driver};
use rustix::process::Signal;

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
        // As sudo does.
        let user = NOBODY.to_string();
        command.stdout(full).env("SUDO_UID", &user).env("SUDO_GID", &user);
        Started::with_stdout(command, home.path()).ended()
    };
    into_full("workloads").refused(1, &["cannot print", "No space left"]);
    let ended = into_full(&run);
    ended.refused(1, &["cannot print", "report.html", "No space left"]);
    assert!(driver(&ended.document()).done > 0);
    let run_dir = home.run_dirs().remove(0);
    let owners = [&run_dir, &run_dir.join("run.json"), &run_dir.join("report.html")];
    let owners = owners.map(|path| fs::metadata(path).unwrap().uid());
    assert_eq!(owners, [NOBODY; 3], "the results are of the user who ran sudo");
    home.assert_nothing_left();
}

/// A small file system at the place of the run directories, unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: PathBuf) -> Self {
        Self::of_size(at, "1m")
    }

    fn of_size(at: PathBuf, size: &str) -> Self {
        fs::create_dir(&at).unwrap();
        let mut mount = Command::new("mount");
        let size = format!("size={size}");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&at);
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
    let document = logtrace_report::parse_json(&text).unwrap();
    assert!(driver(&document).done > 0);
    drop(disk);
    home.assert_nothing_left();
}

#[test]
fn a_recording_leaves_room_to_others() {
    let _turn = beside_others();
    let home = Home::new();
    let place = home.path().join("logtrace-runs");
    let disk = SmallDisk::of_size(place.clone(), "100m");
    // Five megabytes are left free, which is enough for the results.
    fs::write(place.join("filler"), vec![1; 92 << 20]).unwrap();
    let run = "--server mariadb --tables 1 --rows 500 --duration 4s --max --record";
    let ended = home.run(run);
    assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
    let said: Vec<&str> = ended.stdout.split_whitespace().collect();
    assert!(
        said.join(" ").contains("left to other programs"),
        "{}",
        ended.stdout
    );
    let run_dir = home.run_dirs().into_iter().find(|path| path.is_dir()).unwrap();
    let length = |name: &str| fs::metadata(run_dir.join(name)).unwrap().len();
    let recorded = length("records.bin") + length("requests.bin");
    assert!((1..4 << 20).contains(&recorded), "{recorded}");
    let text = fs::read_to_string(run_dir.join("run.json")).unwrap();
    let document = logtrace_report::parse_json(&text).unwrap();
    assert!(
        document.commits.is_some_and(|commits| commits.count > 0),
        "the run went on"
    );
    drop(disk);
    home.assert_nothing_left();
}

#[test]
fn a_run_that_is_killed_in_its_first_moments_is_read_or_explained() {
    let _turn = beside_others();
    for waits_for in ["", "requests.bin", "records.bin"] {
        let home = Home::new();
        let run = home.start("--server mariadb --tables 1 --rows 500 --duration 60s --rate 200/s --record");
        run.waiting_for("the file", || {
            let mut runs = home.run_dirs().into_iter();
            runs.any(|run| run.join(waits_for).exists())
        });
        run.signal(Signal::KILL);
        drop(run.ended());
        let run_dir = home.run_dirs().remove(0);
        let name = run_dir.strip_prefix(home.path()).unwrap().display().to_string();
        for arguments in ["report {} --explain-again", "collect {} --out data", "report {}"] {
            let command = home.logtrace(&arguments.replace("{}", &name));
            let ended = Started::new(command, home.path()).ended();
            ended.reads_well();
            let is_read = matches!(ended.code, Some(0 | 3));
            let is_explained = ended.code == Some(1)
                && ["leaves none", "killed as it began", "has no recording"]
                    .iter()
                    .any(|words| ended.stderr.contains(words));
            assert!(
                is_read || is_explained,
                "{waits_for}, {arguments}: {}",
                ended.stderr
            );
        }
        let clean = home.logtrace("doctor --clean");
        assert_eq!(Started::new(clean, home.path()).ended().code, Some(0));
    }
}
