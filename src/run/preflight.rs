//! What a run needs of the machine.

use crate::preflight;
use crate::preflight::insist;
use crate::run::config::run_config::RunConfig;

/// Fails with everything that is missing and what to do about it.
pub(crate) fn preflight(config: &RunConfig) -> anyhow::Result<()> {
    let mut needed = Vec::new();
    if config.trace {
        needed.extend(preflight::tracing());
    }
    if config.is_private() {
        needed.extend(preflight::private_server(&config.home));
        needed.extend(
            config
                .storage
                .image
                .as_ref()
                .map(|image| preflight::file_system(image.kind)),
        );
    }
    insist(&needed)
}
