//! Redo log that is too small for the load.

use std::thread;
use std::time::Duration;

use logtrace_common::{FileClass, Flavor};
use logtrace_report::cause::{Cause, Wait, Who};

use super::start_load;
use crate::comparison::{Amount, Time};
use crate::experiment::{Experiment, Setup};
use crate::foreign::Foreign;
use crate::load::Statements;

pub(super) const EXPERIMENTS: &[Experiment] = &[Experiment {
    name: "redo-space",
    put_in: "the redo log is so small that statements wait for the checkpoint",
    expected: "redo space, or writes of data files by a background thread",
    is_expected: |_, cause| cause.wait == Wait::RedoSpace || is_data_of_background(cause),
    start,
}];

/// Load of rows that write some 0.7 MB of redo each time.
const LARGE: Statements = Statements {
    text: "INSERT INTO d.b (v) SELECT REPEAT('x', 7000) FROM d.t",
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

fn start(flavor: Flavor) -> anyhow::Result<Setup> {
    let variable = match flavor {
        Flavor::MySql => "innodb_redo_log_capacity",
        Flavor::MariaDb => "innodb_log_file_size",
    };
    // MariaDB's log is not smaller than its buffer.
    let settings = [
        format!("{variable}={LARGE_LOG}"),
        "innodb_log_buffer_size=2M".into(),
    ];
    let settings: Result<Vec<_>, _> = settings.iter().map(|setting| setting.parse()).collect();
    let settings = settings?;
    let server = Foreign::start_as(flavor, |config| config.settings = settings);
    let load = start_load(&server, LARGE)?;
    let mut is_small = false;
    Ok(Setup {
        server,
        load,
        put_in: Box::new(|_, _, _, length| {
            thread::sleep(length);
            Ok(Amount::ByClient)
        }),
        // The statement takes seconds, which are no part of the load.
        time: Time::All,
        change: Box::new(move |server, with| {
            if with != is_small {
                let bytes = if with { SMALL_LOG } else { LARGE_LOG };
                server.tell(&format!("SET GLOBAL {variable} = {bytes}"));
                is_small = with;
            }
        }),
        held: Vec::new(),
    })
}
