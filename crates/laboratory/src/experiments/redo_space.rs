//! Redo log that is too small for the load.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use logtrace_common::{FileClass, Flavor};
use logtrace_report::cause::{Cause, Wait, Who};
use logtrace_server::enter_mount_namespace;

use super::tables::make_tables;
use crate::comparison::{Amount, Time};
use crate::experiment::{Experiment, Setup};
use crate::foreign::Foreign;
use crate::load::{Load, Statements};
use crate::slow_disk::SlowDisk;

pub(super) const EXPERIMENTS: &[Experiment] = &[Experiment {
    name: "redo-space",
    put_in: "the redo log is so small that statements wait for the checkpoint",
    expected: "redo space, redo writer thread, or writes of data files by a background thread",
    is_expected: |_, cause| {
        matches!(cause.wait, Wait::RedoSpace | Wait::RedoWriter) || is_data_of_background(cause)
    },
    start,
}];

/// Load of rows that write some 0.7 MB of redo each time.
const LARGE: Statements = Statements {
    text: "INSERT INTO d.slow (v) SELECT REPEAT('x', 7000) FROM d.t",
    connections: 1,
    pause: Duration::ZERO,
};

const LARGE_LOG: u64 = 1 << 30;
const SMALL_LOG: u64 = 8 << 20;

fn is_data_of_background(cause: &Cause) -> bool {
    let is_data = matches!(
        cause.io,
        Some((FileClass::Data | FileClass::Doublewrite | FileClass::Undo, _))
    );
    is_data && cause.who == Who::Background
}

/// Delay of each write of the table: the checkpoint has to wait for these.
const WRITE: Duration = Duration::from_millis(2);

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
    slow.delay_writes(WRITE);
    let load = Load::start(server.options(), LARGE)?;
    let mut is_small = false;
    Ok(Setup {
        server,
        load,
        time: Time::All,
        // The statement takes seconds, which are no part of the load.
        change: Box::new(move |server, with| {
            if with != is_small {
                let bytes = if with { SMALL_LOG } else { LARGE_LOG };
                server.tell(&format!("SET GLOBAL {variable} = {bytes}"));
                is_small = with;
            }
        }),
        put_in: Box::new(|_, _, _, length| {
            thread::sleep(length);
            Ok(Amount::ByClient)
        }),
        held: vec![Box::new(slow)],
    })
}

/// Starts a server with a large redo log, which may have tables in a directory.
fn start_server(flavor: Flavor, log_size: &str, tables: &Path) -> anyhow::Result<Foreign> {
    // MariaDB's log is not smaller than its buffer.
    let mut settings = vec![
        format!("{log_size}={LARGE_LOG}"),
        "innodb_log_buffer_size=2M".into(),
    ];
    if flavor == Flavor::MySql {
        settings.push(format!("innodb_directories={}", tables.display()));
    }
    let settings: Result<Vec<_>, _> = settings.iter().map(|setting| setting.parse()).collect();
    let settings = settings?;
    Ok(Foreign::start_as(flavor, |config| config.settings = settings))
}
