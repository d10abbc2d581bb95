//! The due times of a run, kept for `--replay`.

use std::io::BufWriter;

use crate::run_dir::RunDir;
use anyhow::Context;
use logtrace_driver::{ArrivalTimes, Measured, Pace};

/// Writes when requests were due in the window as it was; nothing for a closed loop, which has no due times.
///
/// They are computed again after the load is over: to note them as they come would cost the driver time.
pub(crate) fn keep_arrivals(dir: &RunDir, pace: &Pace, seed: u64, measured: &Measured) -> anyhow::Result<()> {
    let Some(offsets) = pace.offsets_ns(seed) else {
        return Ok(());
    };
    let length_ns = measured.window.end_ns - measured.window.start_ns;
    let path = dir.arrivals_txt();
    let written = dir
        .create_file(&path)
        .and_then(|file| ArrivalTimes::write(&mut BufWriter::new(file), offsets, length_ns));
    written.with_context(|| format!("cannot write {}", path.display()))
}
