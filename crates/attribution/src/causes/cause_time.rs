//! Time of one cause within a part of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::causes::Cause;

/// Time of one cause within a part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CauseTime {
    /// The cause.
    #[serde(flatten)]
    pub cause: Cause,
    /// Nanoseconds of this part, over all commits.
    pub total: u64,
}

/// Sorts causes, the largest first.
pub fn largest_first(causes: &mut [CauseTime]) {
    causes.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.cause.cmp(&b.cause)));
}
