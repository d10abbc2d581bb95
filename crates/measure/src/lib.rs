//! Measurements of a server: runs, traces, joins, and recordings that are explained again.
//!
//! - `preflight`: what this machine must have
//! - `config`, `outcome`: what a run or a trace is to do, and what came of it
//! - `measurement`: what runs and traces share: tracing, signals, progress
//! - `document`: `run.json` and its caveats
//! - `outputs`: files of a run directory
//! - `run`: one run: server, load, window
//! - `trace`: one trace of a server under a load of others
//! - `join`: a run and a trace of two machines, put together
//! - `again`: a recording, explained again
//! - `directory`: run directories
//!
//! Progress and messages go to stderr, through [`say`] alone; results are returned.

pub mod again;
mod config;
mod directory;
pub mod document;
pub mod errors;
pub mod join;
pub mod measurement;
mod outcome;
pub mod outputs;
pub mod preflight;
pub mod run;
#[cfg(test)]
mod samples;
pub mod say;
pub mod trace;

pub use directory::{private_file, run_dir, runs};
