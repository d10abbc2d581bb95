//! `--fs`: a file system of the server's own, and nothing left of it in whatever way the run ends.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::Document;
use rustix::fs::{FallocateFlags, fallocate};
use rustix::process::Signal;

use super::fixture::home::{Home, LONG, SHORT, entries};
use super::fixture::leftovers::loop_devices;
use super::fixture::started::Started;
use crate::common::{SERVERS, beside_others, patiently, send};

/// Fails unless the commits of a run are explained, with the logs' fsyncs.
fn assert_explained(document: &Document) {
    let commits = document.commits.as_ref().unwrap();
    let tracer = document.tracer.as_ref().unwrap();
    assert_eq!((tracer.lost, tracer.invariant_violations), (0, 0));
    assert!(commits.count > 0);
    assert!(
        document.unexplained * 50 <= commits.total,
        "{} of {}",
        document.unexplained,
        commits.total
    );
    for class in [FileClass::Binlog, FileClass::Redo] {
        let synced = document
            .files()
            .iter()
            .any(|file| file.class == class && file.op == IoOp::Fsync && file.count > 0);
        assert!(synced, "no fsync of {class}: {:?}", document.files);
    }
}

#[test]
fn a_server_on_a_file_system_of_its_own_is_explained_and_leaves_nothing() {
    for (kind, server) in [("ext4", "mysql"), ("xfs", "mariadb"), ("btrfs", "mysql")] {
        is_explained_and_leaves_nothing(kind, server);
    }
}

#[test]
#[ignore = "long: the file systems again, each with the other server"]
fn the_other_server_on_each_file_system_is_explained_and_leaves_nothing() {
    for (kind, server) in [("ext4", "mariadb"), ("xfs", "mysql"), ("btrfs", "mariadb")] {
        is_explained_and_leaves_nothing(kind, server);
    }
}

fn is_explained_and_leaves_nothing(kind: &str, server: &str) {
    let _turn = beside_others();
    let home = Home::new();
    let ended = home.run(&format!(
        "--fs {kind} --server {server} --workload update_key --rate 200/s --duration 3s --warmup 500ms --tables 1 \
         --rows 1000"
    ));
    let document = ended.measured();
    assert_explained(&document);
    assert_eq!(document.server.file_system, kind, "{server}");
    let image = document.server.image.as_ref().unwrap();
    assert_eq!(image.bytes, 4 << 30);
    let headline = format!("{kind} on a 4 GiB loop image on {}", image.file_system);
    assert!(ended.stdout.contains(&headline), "{}", ended.stdout);
    assert_host_tells(&home, kind);
    home.assert_nothing_left();
    assert_eq!(entries(&home.instances()), Vec::<std::path::PathBuf>::new());
}

/// `host.json` has the image and the disk below.
fn assert_host_tells(home: &Home, kind: &str) {
    let text = fs::read_to_string(home.run_dirs()[0].join("host.json")).unwrap();
    let host: serde_json::Value = serde_json::from_str(&text).unwrap();
    let data = &host["file_systems"][0];
    assert_eq!(data["kind"], kind);
    assert_eq!(data["device"]["size_bytes"], 4_u64 << 30);
    assert!(data["below"]["kind"].is_string(), "{text}");
}

/// The mount namespace of a process.
fn mounts_of(process: u32) -> String {
    fs::read_to_string(format!("/proc/{process}/mounts")).unwrap()
}

/// Fails unless the running server has its file system, and nobody else does.
fn assert_private(home: &Home, run: &Started) {
    let directory = home.path().to_string_lossy().into_owned();
    let server = mounts_of(run.server());
    assert!(server.contains(&directory), "{server}");
    assert!(!mounts_of(std::process::id()).contains(&directory));
    assert_eq!(loop_devices(&directory).len(), 1);
    let [instance] = &home.instance_dirs()[..] else {
        panic!("{:?}", home.instance_dirs());
    };
    let names: BTreeSet<_> = entries(instance).iter().map(|path| name(path)).collect();
    assert!(
        instance.join("run/sock").exists() && !names.contains("image"),
        "the image has no name: {names:?}"
    );
    assert_eq!(entries(&instance.join("fs")).len(), 0, "it is mounted for others");
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn a_killed_run_leaves_no_mount_and_no_loop_device() {
    let _turn = beside_others();
    for (kind, server) in ["xfs", "btrfs"].into_iter().zip(SERVERS) {
        let home = Home::new();
        let run = home
            .start(&format!("--fs {kind} --server {server} {LONG}"))
            .measuring();
        assert_private(&home, &run);
        run.signal(Signal::KILL);
        assert_eq!(run.ended().code, None);
        let directory = home.path().to_string_lossy();
        patiently("the loop device to go", || loop_devices(&directory).is_empty());
        assert_eq!(home.instance_dirs().len(), 1, "an empty directory stays");
        fs::remove_dir_all(&home.run_dirs()[0]).unwrap();
        home.run(&format!("--server {server} --no-trace {SHORT}"))
            .measured();
        home.assert_nothing_left();
    }
}

#[test]
fn interrupts_take_the_file_system_along() {
    let _turn = beside_others();
    for (kind, times) in [("ext4", 1), ("btrfs", 2)] {
        let home = Home::new();
        let run = home
            .start(&format!("--fs {kind} --server mariadb {LONG}"))
            .measuring();
        if times == 2 {
            send(run.server(), Signal::STOP);
        }
        run.signal(Signal::INT);
        let told = || {
            fs::read_to_string(home.path().join("stderr"))
                .is_ok_and(|text| text.contains("press Ctrl-C again"))
        };
        run.waiting_for("word of the signal", told);
        if times == 2 {
            run.signal(Signal::INT);
            run.ended().refused(1, &["stopped at once"]);
            home.assert_untouched();
        } else {
            run.ended().measured();
            home.assert_nothing_left();
        }
    }
}

#[test]
fn a_file_system_that_cannot_be_had_is_refused_before_anything_starts() {
    let _turn = beside_others();
    let home = Home::new();
    home.run(&format!("--fs ext4 --fs-size 4000T {SHORT}"))
        .refused(1, &["an image of 4000T", "--fs-size"]);
    home.run(&format!(
        "--fs xfs --server mysql --set no_such_variable=1 {SHORT}"
    ))
    .refused(1, &["no_such_variable"]);
    for run in home.run_dirs() {
        fs::remove_dir_all(run).unwrap();
    }
    home.assert_untouched();
}

/// A command where a program is missing, for it alone.
fn without(program: &str, home: &Home, arguments: &str) -> Command {
    let mut command = Command::new("unshare");
    let hide = format!("mount --bind /dev/null {program} && exec \"$@\"");
    command.args(["--mount", "sh", "-c", &hide, "sh", env!("CARGO_BIN_EXE_logtrace")]);
    home.at_home(command, arguments)
}

#[test]
fn a_missing_program_is_named_with_its_package() {
    let home = Home::new();
    let run = without("/usr/sbin/mkfs.xfs", &home, "run --fs xfs");
    Started::new(run, home.path())
        .ended()
        .refused(1, &["no mkfs.xfs", "apt-get install xfsprogs"]);
    home.assert_untouched();
    let doctor = without("/usr/sbin/mkfs.xfs", &home, "doctor");
    let told = Started::new(doctor, home.path()).ended();
    assert_eq!(told.code, Some(0), "none of the three is needed: {}", told.stdout);
    for line in [
        "-   file system xfs",
        "ok  file system ext4",
        "apt-get install xfsprogs",
    ] {
        assert!(told.stdout.contains(line), "{}", told.stdout);
    }
}

/// Takes all the space of a file system, what is reserved for root included.
fn fill(directory: &Path) {
    let balloon = File::create(directory.join("balloon")).unwrap();
    let mut at = 0;
    for step in [64 << 20, 1 << 20, 4096] {
        while fallocate(&balloon, FallocateFlags::empty(), at, step).is_ok() {
            at += step;
        }
    }
}

#[test]
fn an_image_that_fills_up_is_said_to_be_too_small() {
    let _turn = beside_others();
    for server in SERVERS {
        let home = Home::new();
        let run = home.start(&format!(
            "--fs ext4 --fs-size 1G --server {server} --no-trace --tables 1 --rows 5000000"
        ));
        let loading = || {
            let [instance] = &home.instance_dirs()[..] else {
                return None;
            };
            let seen_by_it = instance.strip_prefix("/").unwrap();
            let root = format!("/proc/{}/root", run.server_if_started()?);
            let file_system = Path::new(&root).join(seen_by_it).join("fs");
            file_system
                .join("data/logtrace/sbtest1.ibd")
                .exists()
                .then_some(file_system)
        };
        run.waiting_for("the tables", || loading().is_some());
        fill(&loading().unwrap());
        run.ended().refused(1, &["is full", "--fs-size"]);
        for run in home.run_dirs() {
            fs::remove_dir_all(run).unwrap();
        }
        home.assert_untouched();
    }
}
