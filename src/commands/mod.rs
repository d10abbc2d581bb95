//! The subcommands, one a file.

mod clean;
mod doctor;
mod measure_and_report;
mod pace;
mod report;
mod run;
mod study;
mod trace;
mod workloads;

use std::io::{self, Write};

use anyhow::Context;

pub(crate) use doctor::doctor;
pub(crate) use pace::pace;
pub(crate) use report::report;
pub(crate) use run::run;
pub(crate) use study::study;
pub(crate) use trace::trace;
pub(crate) use workloads::workloads;

/// Prints a result. A reader that closed the pipe early (`| head`) has what it wanted.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot print to the standard output")
        }
        _ => Ok(()),
    }
}
