//! A disk that stops for seconds is in the response times, the commits and the causes, whenever it stops. Needs root.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use logtrace_attribution::breakdown::{ColumnSums, OverTime};
use logtrace_attribution::cause::Wait;
use logtrace_common::Flavor;
use logtrace_report::document::{CaveatKind, Document, Driver};
use logtrace_testkit::beside_others;

use crate::common::{Ran, Running, driver, patiently, tells, total};

const WARMUP: Duration = Duration::from_secs(3);
const WINDOW: Duration = Duration::from_secs(5);

/// Time at which the disk stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Two seconds before the warm-up ends.
    Warmup,
    /// The window's begin.
    Begin,
    /// Two seconds before the window's end.
    End,
}

/// Frozen file system, thawed at the latest when this is dropped.
struct Frozen {
    /// Directory in it, as the server sees it.
    directory: PathBuf,
    since: Instant,
}

impl Frozen {
    /// Freezes the file system of a server's data.
    fn of_server(pid: u32) -> Self {
        let directory = PathBuf::from(format!("/proc/{pid}/cwd"));
        fsfreeze("--freeze", &directory);
        Self {
            directory,
            since: Instant::now(),
        }
    }

    /// Thaws it, and returns how long it was frozen.
    fn thaw(self) -> Duration {
        self.since.elapsed()
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        fsfreeze("--unfreeze", &self.directory);
    }
}

fn fsfreeze(action: &str, directory: &PathBuf) {
    let done = Command::new("fsfreeze").arg(action).arg(directory).status();
    assert!(done.unwrap().success(), "fsfreeze {action}");
}

/// Runs a load on a file system that stops for `length`. Returns the run and how long it stopped.
fn run_frozen(flavor: Flavor, when: When, length: Duration, deadline: Option<Duration>) -> (Ran, Duration) {
    let deadline = deadline.map_or_else(String::new, |deadline| {
        format!("--deadline {}ms", deadline.as_millis())
    });
    let run = Running::start(&format!(
        "run --server {} --fs ext4 --workload update_key --rate 100/s --connections 16 --tables 1 --rows 500 \
         --warmup {}s --duration {}s {deadline}",
        flavor.to_string().to_lowercase(),
        WARMUP.as_secs(),
        WINDOW.as_secs()
    ));
    let log = || run.dir().map(|dir| dir.join("latency.hlog"));
    // The log is created when the warm-up begins, and has its first line when the window does.
    let size = || {
        log()
            .and_then(|log| fs::metadata(log).ok())
            .map(|metadata| metadata.len())
    };
    let wait = match when {
        When::Warmup => {
            patiently("the warm-up", || size().is_some());
            WARMUP - Duration::from_secs(2)
        }
        When::Begin | When::End => {
            patiently("the window", || size() > Some(0));
            if when == When::End {
                WINDOW - Duration::from_secs(2)
            } else {
                Duration::ZERO
            }
        }
    };
    sleep(wait);
    let frozen = Frozen::of_server(run.server().unwrap());
    sleep(length);
    let frozen = frozen.thaw();
    (run.ended(), frozen)
}

/// Nanoseconds that commits waited for the frozen file system.
fn frozen_ns(document: &Document) -> u64 {
    total(document, |row| row.cause.wait == Wait::FileSystemLock)
}

/// Checks that the requests over time are all that were due, and that their waits for a connection are those of all columns.
fn assert_backlog(ran: &Ran, driver: &Driver, case: &str) {
    let text = fs::read_to_string(ran.file("over-time.json")).unwrap();
    let requests = serde_json::from_str::<OverTime>(&text).unwrap().requests.unwrap();
    let sum = |sums: Option<ColumnSums>| -> u64 { sums.unwrap().cells.iter().map(|cell| cell.sum).sum() };
    assert_eq!(sum(requests.due), driver.requests, "{case}");
    let waited_ns = sum(requests.backlog) as f64;
    // Those that failed waited, too, and the histogram has three digits.
    let of_done_ns = driver.connection_wait.mean as f64 * driver.connection_wait.count as f64;
    assert!(
        waited_ns >= 0.99 * of_done_ns,
        "{case}: {waited_ns} of {of_done_ns}"
    );
    if driver.done == driver.requests {
        assert!(
            waited_ns <= 1.01 * of_done_ns + 1e6,
            "{case}: {waited_ns} of {of_done_ns}"
        );
    }
}

fn a_frozen_disk_is_measured(flavor: Flavor, when: When, length: Duration, deadline: Option<Duration>) {
    let (ran, frozen) = run_frozen(flavor, when, length, deadline);
    let document = ran.document();
    let case = format!(
        "{flavor}, {when:?}, {frozen:?}, deadline {deadline:?}: {}",
        ran.stdout()
    );
    let frozen_for = frozen.as_nanos() as u64;
    let driver = driver(&document);
    let commits = document.commits.as_ref().unwrap();
    // Requests that were due just before it wait for all of it, and those of the window for what is left of it. One that is
    // given up has waited for as long as its deadline.
    let left = match (when, deadline) {
        (_, Some(deadline)) => deadline.as_nanos() as u64,
        (When::Warmup, None) => frozen_for.saturating_sub(3_500_000_000),
        (When::Begin | When::End, None) => frozen_for * 8 / 10,
    };
    assert!(driver.response_with_failed.max >= left, "{case}");
    assert_eq!(driver.response_with_failed.count, driver.requests, "{case}");
    assert!(commits.distribution.max >= frozen_for * 8 / 10, "{case}");
    assert!(frozen_ns(&document) >= frozen_for * 8 / 10, "{case}");
    let unexplained = document.unexplained as f64 / commits.total as f64;
    assert!(unexplained < 0.02, "{case}");
    assert_backlog(&ran, driver, &case);
    match deadline {
        None => {
            assert!(driver.response.max >= left, "{case}");
            assert_eq!(driver.done, driver.requests, "{case}");
            assert_eq!(
                tells(&document, &CaveatKind::StallInWarmup),
                when == When::Warmup,
                "{case}"
            );
        }
        // A connection that is opened again may have to wait for the disk, too: then no request is given up.
        Some(deadline) if driver.errors.is_empty() => {
            assert!(driver.connection_wait.max > deadline.as_nanos() as u64, "{case}");
        }
        Some(_) => {
            assert!(driver.errors.contains_key("deadline"), "{case}");
            assert!(tells(&document, &CaveatKind::Errors), "{case}");
            assert_eq!(ran.code(), Some(3), "{case}");
        }
    }
}

/// Long enough for the window to begin with it.
const SHORT: Duration = Duration::from_secs(5);
const LONG: Duration = Duration::from_secs(10);

#[test]
fn a_disk_frozen_in_the_warmup_is_measured() {
    let _turn = beside_others();
    a_frozen_disk_is_measured(Flavor::MariaDb, When::Warmup, SHORT, None);
}

#[test]
fn a_disk_frozen_at_the_end_of_the_window_is_measured() {
    let _turn = beside_others();
    a_frozen_disk_is_measured(Flavor::MySql, When::End, SHORT, None);
}

#[test]
fn a_disk_frozen_at_the_end_of_the_window_is_measured_with_a_deadline() {
    let _turn = beside_others();
    a_frozen_disk_is_measured(Flavor::MySql, When::End, SHORT, Some(Duration::from_millis(500)));
}

#[test]
#[ignore = "long: disks frozen for 10 s, at all times, on both servers"]
fn a_disk_frozen_for_ten_seconds_is_measured_whenever_it_freezes() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        for when in [When::End, When::Begin, When::Warmup] {
            for deadline in [None, Some(Duration::from_secs(1))] {
                a_frozen_disk_is_measured(flavor, when, LONG, deadline);
            }
        }
    }
}
