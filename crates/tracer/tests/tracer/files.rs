//! Files of system calls: reads that wait, names after a rename, directories.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::thread;
use std::time::Duration;

use logtrace_events::{IoOp, Record};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fs::{Advice, fadvise};
use rustix::io::{read, write};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use crate::turn::turn;
use crate::{ios, tid, traced, waits};

/// Bytes of a file, of which the last are not read ahead with the first.
const BYTES: usize = 16 << 20;

#[test]
fn reads_of_files_that_wait_are_recorded_and_no_others() {
    let _turn = turn();
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = dir.path().join("table.ibd");
    fs::write(&path, vec![1; BYTES]).unwrap();
    let file = File::open(&path).unwrap();
    file.sync_all().unwrap();
    let mut page = [0; 4096];
    let mut read_at = |offset: usize| file.read_exact_at(&mut page, offset as u64).unwrap();
    let (records, _) = traced("1M", || (0..100).for_each(|_| read_at(0)));
    assert!(ios(&records, tid()).is_empty(), "it is in memory");
    fadvise(&file, 0, None, Advice::DontNeed).unwrap();
    let (records, account) = traced("1M", || {
        [0, BYTES / 2, BYTES - 4096].into_iter().for_each(read_at);
    });
    let ios = ios(&records, tid());
    assert!(
        (1..20).contains(&ios.len()) && ios.iter().all(|io| io.op == IoOp::Read),
        "{ios:?}"
    );
    let ino = fs::metadata(&path).unwrap().ino();
    let waits = waits(&records, tid());
    for io in &ios {
        assert_eq!((io.file.ino, io.ret), (ino, 0));
        let of_wait =
            |wait: &&logtrace_events::OffCpu| (wait.out_ns, wait.in_ns) == (io.enter_ns, io.exit_ns);
        assert!(waits.iter().find(of_wait).unwrap().stack.is_some(), "{waits:?}");
    }
    let is_named =
        |record: &Record| matches!(record, Record::File(named) if named.path.ends_with("table.ibd"));
    assert!(records.iter().any(is_named));
    assert_eq!(account.losses.lost, 0);
}

#[test]
fn reads_of_what_is_no_file_are_waits_without_one() {
    let _turn = turn();
    let (one, other) = socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )
    .unwrap();
    let event = eventfd(0, EventfdFlags::CLOEXEC).unwrap();
    let (records, _) = traced("1M", || {
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                write(&other, b"12345678").unwrap();
                thread::sleep(Duration::from_millis(50));
                write(&event, &1u64.to_ne_bytes()).unwrap();
            });
            let mut bytes = [0; 8];
            read(&one, &mut bytes).unwrap();
            read(&event, &mut bytes).unwrap();
        });
    });
    assert!(ios(&records, tid()).is_empty());
    let waits = waits(&records, tid());
    let reads = waits.iter().filter(|wait| wait.syscall == Some(0));
    assert_eq!(reads.filter(|wait| wait.stack.is_none()).count(), 2, "{waits:?}");
}

#[test]
fn a_file_has_its_new_name_after_a_rename_and_a_directory_has_one() {
    let _turn = turn();
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let [cache, log] = ["ML_7", "binlog.000002"].map(|name| dir.path().join(name));
    let mut file = OpenOptions::new().create(true).append(true).open(&cache).unwrap();
    let directory = File::open(dir.path()).unwrap();
    let (records, _) = traced("1M", || {
        file.write_all(b"one").unwrap();
        file.write_all(b"two").unwrap();
        fs::rename(&cache, &log).unwrap();
        file.write_all(b"three").unwrap();
        directory.sync_all().unwrap();
    });
    let of_thread = tid();
    let told: Vec<String> = records
        .iter()
        .filter_map(|record| match record {
            Record::File(named) => named.path.rsplit('/').next().map(str::to_owned),
            Record::Io(io) if io.tid == of_thread => Some(format!("{} {}", io.op, io.ret)),
            _ => None,
        })
        .collect();
    let directory_name = dir.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(
        told,
        [
            "ML_7",
            "write 3",
            "write 3",
            "binlog.000002",
            "write 5",
            directory_name,
            "fsync 0"
        ]
    );
}
