//! Errors for options that do not apply to a workload.

use thiserror::Error;

pub(crate) const RANGE_SIZE_OPTION: &str = "--range-size";
pub(crate) const SKIP_TRX_OPTION: &str = "--skip-trx";
pub(crate) const PROTOCOL_OPTION: &str = "--protocol";

/// Reason why an option is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OptionError(pub(crate) String);
