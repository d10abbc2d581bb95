//! Redo log that is too small for the load.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::Flavor;
use logtrace_server::enter_mount_namespace;

use super::tables::make_tables;
use crate::comparison::Amount;
use crate::experiment::{Experiment, Setup};
use crate::foreign::Foreign;
use crate::load::{LoadStatements, StatementLoad};
use crate::slow_disk::SlowDisk;

pub(super) const EXPERIMENTS: &[Experiment] = &[Experiment {
    name: "redo-space",
    put_in: "the redo log is so small that statements wait for the checkpoint, whose writes take 10 ms longer",
    expected: "redo space, redo writer thread, or what a background thread does: writes of data files, asynchronous I/O; in MariaDB also on CPU",
    is_expected,
    start,
}];

fn is_expected(flavor: Flavor, cause: &Cause) -> bool {
    let is_wait = matches!(cause.wait, Wait::RedoSpace | Wait::RedoWriter) || cause.who == Who::Background;
    // MariaDB's threads wait in a loop that runs, at times for half of the wait: perf sees them lock and unlock a mutex below
    // ha_update_row() (10.11.19, without a sleep between).
    let is_loop =
        flavor == Flavor::MariaDb && (cause.wait, cause.who, cause.io) == (Wait::OnCpu, Who::Own, None);
    is_wait || is_loop
}

/// Rows of the table, 7 kB each.
const ROWS: u32 = 2_000;

/// Load that rewrites other rows each time, with some 0.3 MB of redo. The table does not grow, so that a statement does the same
/// work in all windows.
const LARGE: LoadStatements = LoadStatements {
    text: "UPDATE d.slow SET v = REPEAT(CHAR(97 + {n} % 26), 7000) WHERE id BETWEEN {n} * 20 % 2000 + 1 AND {n} * 20 % 2000 + 20",
    connections: 1,
    pause: Duration::ZERO,
};

const SMALL_LOG: u64 = 8 << 20;

/// Delay of each write of the table: the checkpoint waits for these.
const WRITE: Duration = Duration::from_millis(10);

fn start(flavor: Flavor) -> anyhow::Result<Setup> {
    enter_mount_namespace()?;
    let slow = SlowDisk::mount();
    // The server is another user.
    fs::set_permissions(slow.path(), Permissions::from_mode(0o777))?;
    let variable = match flavor {
        Flavor::MySql => "innodb_redo_log_capacity",
        Flavor::MariaDb => "innodb_log_file_size",
    };
    let server = start_server(flavor, variable, slow.path())?;
    make_tables(&server);
    server.tell(&format!(
        "CREATE TABLE d.slow (id INT PRIMARY KEY AUTO_INCREMENT, v LONGBLOB) DATA DIRECTORY = '{}'",
        slow.path().display()
    ));
    for _ in 0..ROWS / 20 {
        server.tell("INSERT INTO d.slow (v) SELECT REPEAT('x', 7000) FROM d.t LIMIT 20");
    }
    let load = StatementLoad::start(server.options(), LARGE)?;
    Ok(Setup::new(server, load, move |_, _, with, length| {
        slow.delay_writes(if with { WRITE } else { Duration::ZERO });
        thread::sleep(length);
        slow.delay_writes(Duration::ZERO);
        Ok(Amount::ByClient)
    }))
}

/// Starts a server with a small redo log, which may have tables in a directory.
fn start_server(flavor: Flavor, log_size: &str, tables: &Path) -> anyhow::Result<Foreign> {
    // MariaDB's log is not smaller than its buffer.
    let mut settings = vec![
        format!("{log_size}={SMALL_LOG}"),
        "innodb_log_buffer_size=2M".into(),
    ];
    if flavor == Flavor::MySql {
        settings.push(format!("innodb_directories={}", tables.display()));
    }
    let settings: Result<Vec<_>, _> = settings.iter().map(|setting| setting.parse()).collect();
    let settings = settings?;
    Ok(Foreign::start_as(flavor, |config| config.settings = settings))
}
