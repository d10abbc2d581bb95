//! The checks of `logtrace doctor` that a run depends on, before anything is started.

use anyhow::bail;

use super::config::RunConfig;
use crate::checks::{self, Check};

/// Fails with everything that is missing and what to do about it.
pub(crate) fn preflight(config: &RunConfig) -> anyhow::Result<()> {
    let mut needed = Vec::new();
    if config.trace {
        needed.extend(checks::tracing());
    }
    if config.is_private() {
        needed.extend(checks::private_server(&config.home));
        needed.extend(config.storage.kind().map(checks::file_system));
    }
    let missing: Vec<String> = needed
        .iter()
        .filter(|check| !check.is_met())
        .map(Check::to_string)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "this machine lacks what the run needs (`logtrace doctor` shows all):\n  {}",
        missing.join("\n  ")
    )
}
