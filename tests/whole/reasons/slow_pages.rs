//! Waits inside InnoDB for a page: one that is being written, one that is being read, and a free one in a buffer pool that
//! is too small. They are charged to what the thread does that ends them. The tables are on a file system in user space whose
//! reads and writes take a known time.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::{Detail, FileClass};
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_server::enter_mount_namespace;

use crate::common::{SERVERS, alone, beside_others};
use crate::shapes::probe::{Client, Seen};

/// Time that each read or write of the file system takes.
const DELAY: Duration = Duration::from_millis(300);

/// Statement that copies all rows of a table of large rows: they double.
fn doubling(table: &str) -> String {
    format!("INSERT INTO {table} (v) SELECT v FROM {table}")
}

/// Mounts a file system that a server may use.
fn slow_disk() -> SlowDisk {
    let slow = SlowDisk::mount();
    fs::set_permissions(slow.path(), Permissions::from_mode(0o777)).unwrap();
    slow
}

/// Starts a server with tables on a file system, of one row each, which fills half of a page.
fn client_with(server: &str, slow: &SlowDisk, settings: &[&str], tables: &[&str]) -> Client {
    let directory = slow.path().display();
    let known = format!("innodb_directories={directory}");
    let known = (server == "mysql").then_some(known.as_str());
    let settings: Vec<&str> = settings.iter().copied().chain(known).collect();
    let mut client = Client::new(server, &settings);
    for table in tables {
        client.execute(&format!(
            "CREATE TABLE {table} (id INT PRIMARY KEY AUTO_INCREMENT, n INT DEFAULT 0, v VARCHAR(8000)) DATA DIRECTORY = '{directory}'"
        ));
        client.execute(&format!("INSERT INTO {table} (v) VALUES (REPEAT('x', 7000))"));
    }
    client
}

/// Returns the time of the causes in statements and their commits, in nanoseconds.
fn caused(seen: &Seen, is_wanted: impl Fn(&Cause) -> bool) -> u64 {
    let statements = seen.breakdown.statements.as_ref().unwrap();
    let statements = statements.causes.iter().map(|row| (row.cause, row.total));
    let commits = seen.breakdown.causes.iter().map(|row| (row.cause, row.total));
    let rows = statements.chain(commits);
    rows.filter(|(cause, _)| is_wanted(cause)).map(|(_, ns)| ns).sum()
}

/// Returns whether a thread reads or writes pages. What the kernel does then depends on the server: it submits them, or waits
/// for the process behind the file system.
fn is_page_io(wait: Wait) -> bool {
    matches!(wait, Wait::AsyncIo | Wait::DeviceIo | Wait::FileServer)
}

/// The server writes a page again and again that a statement changes again and again.
#[test]
fn a_page_that_is_being_written() {
    // Compares times with the client's clock.
    let _turn = alone();
    enter_mount_namespace().unwrap();
    // Without syncs of the logs the disk of this machine does not hold a statement up.
    let settings = &[
        "innodb_max_dirty_pages_pct=0",
        "innodb_max_dirty_pages_pct_lwm=0",
        "sync_binlog=0",
        "innodb_flush_log_at_trx_commit=0",
    ];
    for server in SERVERS {
        let slow = slow_disk();
        let mut client = client_with(server, &slow, settings, &["hot"]);
        let mut behind_ns = 0;
        let seen = client.traced_at(Detail::Full, |client| {
            // What a thread waits for is known from the next wait on.
            client.execute("DO SLEEP(1)");
            slow.delay_writes(DELAY);
            let start = Instant::now();
            while start.elapsed() < 10 * DELAY {
                let before = Instant::now();
                client.execute("UPDATE hot SET n = n + 1");
                let taken = before.elapsed();
                behind_ns += if taken > DELAY / 3 { taken.as_nanos() } else { 0 };
            }
            client.execute("DO 1");
            client.execute("DO 1");
        });
        slow.delay_writes(Duration::ZERO);
        let in_background = |is_wanted: fn(Wait) -> bool| {
            let found = caused(&seen, |cause| {
                cause.who == Who::Background && is_wanted(cause.wait)
            });
            u128::from(found)
        };
        // The thread that writes the page may have to wait for a CPU too.
        let (found, written) = (in_background(|_| true), in_background(is_page_io));
        assert!(
            behind_ns > DELAY.as_nanos() && found * 10 > behind_ns * 8 && found * 10 < behind_ns * 11,
            "{server}: {found} of {behind_ns} ns, {:?}, {:?}",
            seen.breakdown.statements,
            seen.breakdown.causes
        );
        assert!(
            written * 10 > behind_ns * 7,
            "{server}: {written} of {behind_ns} ns, {:?}, {:?}",
            seen.breakdown.statements,
            seen.breakdown.causes
        );
        client.stop();
    }
}

/// Two sessions need a page that is not in the buffer pool: one reads it, and the other one waits for that.
#[test]
fn a_page_that_another_session_reads() {
    let _turn = beside_others();
    enter_mount_namespace().unwrap();
    let statement = "DO (SELECT COUNT(v) FROM hot)";
    for server in SERVERS {
        let slow = slow_disk();
        let mut client = client_with(server, &slow, &["innodb_buffer_pool_size=6M"], &["hot", "large"]);
        for _ in 0..11 {
            client.execute(&doubling("large"));
        }
        client.execute("DO (SELECT COUNT(v) FROM large)");
        let mut session = client.session();
        slow.delay_reads(DELAY);
        let seen = client.traced_at(Detail::Full, |client| {
            client.execute("DO 1");
            client.execute_blocked(statement, &mut session, DELAY / 6, statement);
            client.execute("DO 1");
            client.execute_in(&mut session, "DO 1");
            client.execute("DO 1");
        });
        slow.delay_reads(Duration::ZERO);
        let found = |wanted| {
            let ns = caused(&seen, |cause| cause.who == wanted && is_page_io(cause.wait));
            ns as f64 / DELAY.as_nanos() as f64
        };
        let (reader, other) = (found(Who::Own), found(Who::Session));
        // MySQL reads one page after the other.
        assert!(
            reader > 0.95 && (reader - 0.4..reader).contains(&other),
            "{server}: {reader} and {other} of the delay, {:?}",
            seen.breakdown.statements
        );
        client.stop();
    }
}

/// Four sessions write tables that are larger than the buffer pool.
#[test]
fn a_buffer_pool_without_free_pages() {
    let _turn = beside_others();
    enter_mount_namespace().unwrap();
    let tables = ["one", "two", "three", "four"];
    for server in SERVERS {
        let slow = slow_disk();
        let mut client = client_with(server, &slow, &["innodb_buffer_pool_size=6M"], &tables);
        slow.delay_writes(DELAY / 60);
        let seen = client.traced_at(Detail::Full, |client| {
            client.execute_at_once(tables.map(doubling), 8);
            client.execute("DO 1");
            client.execute("DO 1");
        });
        slow.delay_writes(Duration::ZERO);
        // How long they are on a CPU, or wait for one, depends on the tests beside this one.
        let is_blocked = |cause: &Cause| cause.wait != Wait::OnCpu && !cause.wait.is_for_cpu();
        let writes = caused(&seen, |cause| {
            let is_own = cause.io.is_some_and(|(class, _)| class == FileClass::Data);
            let is_write = is_own || (cause.who == Who::Background && is_page_io(cause.wait));
            is_write && is_blocked(cause)
        });
        let all = caused(&seen, is_blocked);
        assert!(
            writes * 10 > all * 7,
            "{server}: {writes} of {all} ns, {:?}",
            seen.breakdown.statements
        );
        client.stop();
    }
}
