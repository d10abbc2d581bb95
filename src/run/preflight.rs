//! What a run needs of the machine.

use super::config::RunConfig;
use crate::checks;
use crate::measurement::insist;

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
    insist(&needed)
}
