//! The file of a run's workload, kept to tell what was run.

use crate::run_dir::RunDir;
use anyhow::Context;
use logtrace_driver::Requests;

/// Writes the file as it was read; nothing where the workload is logtrace's own.
pub(crate) fn keep_workload(dir: &RunDir, requests: &Requests) -> anyhow::Result<()> {
    let Some(custom) = requests.custom() else {
        return Ok(());
    };
    let path = dir.workload_toml();
    dir.write(&path, custom.text().as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}
