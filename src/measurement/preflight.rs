//! The checks of `logtrace doctor` that a measurement depends on, before anything is started.

use anyhow::bail;

use crate::checks::Check;

/// Fails with everything of what is `needed` that is missing, and what to do about it.
pub(crate) fn insist(needed: &[Check]) -> anyhow::Result<()> {
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
