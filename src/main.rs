//! The `logtrace` command: parse, dispatch, print one error, choose the exit code.

mod cli;
mod commands;
mod data_set;
mod exit;
mod handover;
mod heap;
mod output;
mod source;

use std::process::ExitCode;

use anyhow::Context;
use logtrace_measure::{preflight, say};
use logtrace_tracer::give_up_rights;
use rustix::process::geteuid;

use crate::cli::{Cli, Command};
use crate::exit::{Exit, UsageError};

fn main() -> ExitCode {
    let arguments = Cli::read();
    arguments.set_color();
    let command = arguments.command;
    logtrace_common::keep_caught_panics_quiet();
    preflight::raise_limit();
    heap::return_large_blocks();
    let result = without_rights(&command).and_then(|()| run(command));
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            say::lines(&format!("error: {error:#}"));
            match error.is::<UsageError>() {
                true => Exit::Usage.into(),
                false => Exit::Failed.into(),
            }
        }
    }
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Trace(arguments) => commands::trace::trace(&arguments),
        Command::Study(arguments) => commands::study::study(&arguments),
        Command::Join(arguments) => commands::join::join_run(&arguments),
        Command::Collect(arguments) => commands::collect::collect(&arguments),
        Command::Compare(arguments) => commands::compare::compare(&arguments),
        Command::Report(arguments) => commands::report::report(&arguments),
        Command::Doctor(arguments) => commands::doctor::doctor(&arguments),
        Command::Completions(arguments) => commands::manual::completions(&arguments),
        Command::Man(arguments) => commands::manual::man(&arguments),
        Command::Manual(arguments) => commands::manual::manual(&arguments),
        Command::Pace(arguments) => commands::pace::pace(&arguments),
        Command::Workloads => commands::workloads::workloads(),
    }
}

/// Gives up what the program may do beyond its user, for a command that only reads and writes files: the program may have
/// capabilities for traces (setcap(8)), and these would open files of others. Root stays root.
fn without_rights(command: &Command) -> anyhow::Result<()> {
    match command.needs_rights() || geteuid().is_root() {
        true => Ok(()),
        false => give_up_rights()
            .context("cannot give up the rights of the program, which this command does not need"),
    }
}
