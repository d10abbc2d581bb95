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
        self.cause().words()
    }

    /// Returns the cause, as of the commit's own thread.
    pub(crate) fn cause(self) -> Cause {
        Cause {
            who: Who::Own,
            io: self.file.zip(self.op),
            wait: self.wait,
        }
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
