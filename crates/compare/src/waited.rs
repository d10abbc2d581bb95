//! Waits of commits, whoever did the work.

use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use serde::Serialize;

/// Wait of commits, with the call on a file that it was in. The thread that did the work is no part of it: a commit leads in one
/// run and follows in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Waited {
    /// Class of the file, for time in a call on a file.
    pub file: Option<FileClass>,
    /// Operation on the file.
    pub op: Option<IoOp>,
    /// Wait or work.
    pub wait: Wait,
}

impl Waited {
    /// Returns the words of reports for it.
    pub fn words(self) -> String {
        let io = self.file.zip(self.op);
        Cause {
            who: Who::Own,
            io,
            wait: self.wait,
        }
        .words()
    }

    /// Returns the words for the call on a file, if it is in one.
    pub(crate) fn io_words(self) -> Option<String> {
        Some(format!("{} {}", self.file?, self.op?))
    }
}

impl From<Cause> for Waited {
    fn from(cause: Cause) -> Self {
        let (file, op) = cause.io.unzip();
        Self {
            file,
            op,
            wait: cause.wait,
        }
    }
}
