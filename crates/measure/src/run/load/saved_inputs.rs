//! Inputs of the load, saved in the run directory: arrival times and the workload's file.

use std::io::BufWriter;

use anyhow::Context;
use logtrace_driver::{ArrivalTimes, DriveResult, Pace, Requests};

use crate::directory::run_dir::RunDir;

/// Writes the times at which the requests of the window were due, for `--replay`. Writes nothing for a closed loop, which
/// has no due times.
///
/// The times are computed again after the load: noting them during the load would cost the driver time.
pub(crate) fn save_arrivals(
    dir: &RunDir,
    pace: &Pace,
    seed: u64,
    measured: &DriveResult,
) -> anyhow::Result<()> {
    let Some(offsets) = pace.offsets_ns(seed) else {
        return Ok(());
    };
    let length_ns = measured.window.end_ns - measured.window.start_ns;
    let written = dir
        .create_file("arrivals.txt")
        .and_then(|file| ArrivalTimes::write(&mut BufWriter::new(file), offsets, length_ns));
    written.with_context(|| format!("cannot write {}", dir.arrivals_txt().display()))
}

/// Writes the workload's file as it was read. Writes nothing for a workload of logtrace's own.
pub(crate) fn save_workload(dir: &RunDir, requests: &Requests) -> anyhow::Result<()> {
    match requests.custom() {
        Some(custom) => dir.write("workload.toml", custom.text()),
        None => Ok(()),
    }
}
