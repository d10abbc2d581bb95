//! Requirements of a run.

use crate::preflight;
use crate::preflight::require;
use crate::run::config::run_config::RunConfig;

/// Fails with all unmet requirements and their remedies.
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
    require(&needed)
}
