//! Reads of files in commits and statements: they have the class of their file, as writes have.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::{Detail, FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_laboratory::foreign::Foreign;
use logtrace_laboratory::loop_disk::LoopDisk;
use logtrace_laboratory::traced::traced;
use logtrace_server::enter_mount_namespace;
use mysql_async::prelude::Queryable;
use rustix::fs::{Advice, fadvise, fsync};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use crate::common::{SERVERS, beside_others, total};
use crate::shapes::probe::Client;

/// Time that each read of the device takes.
const DELAY: Duration = Duration::from_millis(10);

/// Returns the open files of a server that lie in a directory, and their paths.
fn open_files(pid: u32, directory: &Path) -> Vec<OwnedFd> {
    let process = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let process = pidfd_open(process, PidfdFlags::empty()).unwrap();
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let is_there = |path: &Path| fs::read_link(path).is_ok_and(|target| target.starts_with(directory));
    let numbers = entries
        .filter(|entry| is_there(&entry.path()))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|number| pidfd_getfd(&process, number, PidfdGetfdFlags::empty()).ok())
        .collect()
}

/// Removes the pages of a server's temporary files from memory.
fn forget_pages(server: &Foreign, disk: &LoopDisk) {
    for file in open_files(server.pid(), disk.path()) {
        fsync(&file).unwrap();
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
    }
    let image = File::open(disk.slow.path().join("image")).unwrap();
    fadvise(&image, 0, None, Advice::DontNeed).unwrap();
}

/// Commits a transaction of 8 MB, whose cache is no longer in memory, and returns how long that took the client.
fn commit_large(server: &Foreign, disk: &LoopDisk, delay: Duration) -> Duration {
    server.with(async |mut conn| {
        for statement in [
            "BEGIN",
            "INSERT INTO d.t (v) SELECT REPEAT('x', 8000) FROM d.rows LIMIT 1000",
        ] {
            conn.query_drop(statement).await.unwrap();
        }
        forget_pages(server, disk);
        disk.slow.delay_reads(delay);
        let start = Instant::now();
        conn.query_drop("COMMIT").await.unwrap();
        let taken = start.elapsed();
        disk.slow.delay_reads(Duration::ZERO);
        conn.query_drop("DO 1").await.unwrap();
        taken
    })
}

#[test]
fn a_transaction_that_is_read_back_from_the_temporary_directory_when_it_commits() {
    let _turn = beside_others();
    enter_mount_namespace().unwrap();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let disk = LoopDisk::mount().unwrap();
        let placement = format!("temporary={}", disk.path().display());
        let server = Foreign::start_as(flavor, |config| {
            config.storage.placements = vec![placement.parse().unwrap()];
        });
        for statement in [
            "CREATE DATABASE d",
            "CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(8000))",
            "CREATE TABLE d.rows (id INT PRIMARY KEY AUTO_INCREMENT)",
            "INSERT INTO d.rows VALUES (), (), (), (), (), (), (), (), (), ()",
            "INSERT INTO d.rows SELECT NULL FROM d.rows a, d.rows b, d.rows c",
        ] {
            server.tell(statement);
        }
        let fast = commit_large(&server, &disk, Duration::ZERO);
        let program = Path::new(env!("CARGO_BIN_EXE_logtrace"));
        let (document, slow) = traced(program, &server, || Ok(commit_large(&server, &disk, DELAY))).unwrap();
        let read = total(&document, |row| {
            row.cause.who == Who::Own && row.cause.io == Some((FileClass::Temporary, IoOp::Read))
        });
        let added = slow.saturating_sub(fast).as_nanos() as u64;
        assert!(
            added > 20 * DELAY.as_nanos() as u64,
            "{flavor}: {slow:?} and {fast:?}"
        );
        assert!(
            read * 100 > added * 90 && read < slow.as_nanos() as u64,
            "{flavor}: {read} of {added} ns, {:?}",
            document.causes
        );
        let unclassified = total(&document, |row| row.cause.wait == Wait::Unclassified);
        assert!(
            unclassified * 20 < read,
            "{flavor}: {unclassified} of {read} ns, {:?}",
            document.unclassified
        );
        assert_eq!(
            total(&document, |row| row.cause == Cause::own(Wait::Client)),
            0,
            "{flavor}"
        );
        let mut files = document.files().iter();
        let file = files.find(|row| (row.class, row.op) == (FileClass::Temporary, IoOp::Read));
        let path = &file.unwrap().path;
        let name = Path::new(path).file_name().and_then(OsStr::to_str).unwrap();
        // A file without a name.
        assert!(
            name.starts_with('#') && name[1..].parse::<u64>().is_ok(),
            "{flavor}: {path}"
        );
    }
}

#[test]
fn pages_of_a_table_that_is_larger_than_the_buffer_pool() {
    let _turn = beside_others();
    for server in SERVERS {
        let mut client = Client::new(
            server,
            &["innodb_buffer_pool_size=6M", "innodb_flush_method=O_DIRECT"],
        );
        client.execute("CREATE TABLE large (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(8000))");
        client.execute("INSERT INTO large (v) VALUES (REPEAT('x', 7000))");
        for _ in 0..11 {
            client.execute("INSERT INTO large (v) SELECT v FROM large");
        }
        let seen = client.traced_at(Detail::Full, |client| {
            client.execute("DO 1");
            for n in 0..100 {
                let id = 1 + n * 7919 % 2048;
                client.execute(&format!("UPDATE large SET v = REPEAT('y', 7000) WHERE id = {id}"));
            }
            client.execute("DO 1");
            client.execute("DO 1");
        });
        let statements = seen.breakdown.statements.as_ref().unwrap();
        let waited = |is_wanted: &dyn Fn(&Cause) -> bool| {
            let rows = statements.causes.iter().filter(|row| is_wanted(&row.cause));
            rows.map(|row| row.total).sum::<u64>()
        };
        let read = waited(&|cause| cause.io == Some((FileClass::Data, IoOp::Read)));
        let guessed = waited(&|cause| cause.is_last_resort());
        assert!(
            read > 0 && guessed * 20 < read,
            "{server}: {read} and {guessed} ns, {:?}",
            statements.causes
        );
        client.stop();
    }
}
