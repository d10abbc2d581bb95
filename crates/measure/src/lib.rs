//! Measurements of a server: runs, traces, joins, and recordings that are explained again.
//!
//! - `preflight`: what this machine must have
//! - `measurement`: what runs and traces share: tracing, progress, output files
//! - `run`: one run: server, load, window, outcome
//! - `trace`: one trace of a server under a load of others
//! - `join`: a run and a trace of two machines, put together
//! - `again`: a recording, explained again
//! - `directory`: run directories
//!
//! Progress and messages go to stderr, through [`say`] alone; results are returned.

pub mod again;
mod directory;
pub mod errors;
pub mod join;
pub mod measurement;
pub mod preflight;
pub mod run;
pub mod say;
pub mod trace;

pub use directory::{private_file, run_dir};
