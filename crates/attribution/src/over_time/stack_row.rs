//! Stacks as rows of a list.

use serde::{Deserialize, Serialize};

use crate::causes::Cause;

/// Cause with the frames below it. A cause without frames also has the time of its smallest stacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StackRow {
    /// The cause.
    #[serde(flatten)]
    pub cause: Cause,
    /// Names of the frames, outermost first.
    pub frames: Vec<String>,
}
