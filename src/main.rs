//! The `logtrace` command: parse, dispatch, print one error, choose the exit code.

mod cli;
mod commands;
mod exit;
mod measurement;
mod preflight;
mod run;
mod run_dir;
mod study;
mod trace;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::exit::Exit;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => commands::run(&arguments),
        Command::Trace(arguments) => commands::trace(&arguments),
        Command::Study(arguments) => commands::study(&arguments),
        Command::Report(arguments) => commands::report(&arguments),
        Command::Doctor(arguments) => commands::doctor(&arguments),
        Command::Pace(arguments) => commands::pace(&arguments),
        Command::Workloads => commands::workloads(),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            // Nothing is left to tell it to when stderr is gone.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            Exit::of_error(&error).into()
        }
    }
}
