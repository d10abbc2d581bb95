//! Errors for options that do not apply to a workload.

use thiserror::Error;

pub(crate) const RANGE_SIZE_OPTION: &str = "--range-size";
pub(crate) const SKIP_TRX_OPTION: &str = "--skip-trx";
pub(crate) const PROTOCOL_OPTION: &str = "--protocol";

/// Reason why an option is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// Option that would change nothing.
    #[error("{option} does not apply to the workload {workload}, which takes {takes}")]
    Unknown {
        /// Name of the workload.
        workload: String,
        /// Option as in commands.
        option: String,
        /// Options that the workload takes.
        takes: String,
    },
    /// Prepared protocol for a workload whose statements are always text.
    #[error("the workload {0} sends its statements as text, as sysbench does: leave --protocol prepared out")]
    NeverPrepared(String),
    /// Request without statements.
    #[error("a request of {0} would have no statements: give at least one count above 0")]
    Nothing(String),
}
