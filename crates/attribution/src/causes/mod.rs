//! Causes of waits: their names, their presentation, and the rules that recognise them.

mod advice;
pub(crate) mod branch;
pub(crate) mod cause_index;
pub(crate) mod cause_time;
pub(crate) mod color;
pub(crate) mod cpu_wait;
pub(crate) mod kind;
pub mod names_schema;
pub(crate) mod server_rules;
pub(crate) mod stack_rules;
pub(crate) mod wait;
pub(crate) mod wakeup;

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr, VariantNames};
use thiserror::Error;

use crate::causes::kind::WaitKind;
use crate::causes::names_schema::stored_by_name;
pub use crate::causes::wait::Wait;

/// Cause of a wait: the thread that worked, the file it worked on, and the wait of that thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(into = "CauseKey", try_from = "CauseKey")]
pub struct Cause {
    /// Role of the thread that worked.
    pub who: Who,
    /// File class and operation, for time inside a traced I/O system call.
    pub io: Option<(FileClass, IoOp)>,
    /// Wait or work of that thread.
    pub wait: Wait,
}

/// Fields of a [`Cause`] in `run.json`.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
struct CauseKey {
    /// Role of the thread that worked.
    who: Who,
    /// Class of the file; null outside file I/O.
    #[schemars(schema_with = "crate::causes::names_schema::names_or_null::<FileClass>")]
    file: Option<FileClass>,
    /// Operation on the file; null outside file I/O.
    #[schemars(schema_with = "crate::causes::names_schema::names_or_null::<IoOp>")]
    op: Option<IoOp>,
    /// Wait or work of that thread.
    wait: Wait,
    /// Kind of the wait. It follows from `wait`, and is not read; absent in older documents.
    #[serde(default)]
    kind: WaitKind,
}

/// Error for a cause with a file but no operation, or with an operation but no file.
#[derive(Debug, Error)]
#[error("a cause has only one of file and op; both are needed, or neither")]
struct IncompleteCause;

/// Role of the thread whose work a commit waited for.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Who {
    /// The commit's own thread.
    Own,
    /// Thread of another commit, during that commit. If the server states its groups: a thread of the commit's own
    /// group, or any committing thread before the commit had entered a group.
    Leader,
    /// Thread of a commit in an earlier group, after the commit had entered its own group.
    #[serde(rename = "previous group")]
    #[strum(serialize = "previous group")]
    PreviousGroup,
    /// Thread of another connection outside a commit: the holder of a lock.
    Session,
    /// Thread that serves no connection: page cleaner, log threads, purge.
    Background,
}

impl Cause {
    /// Cause of time that no record explains.
    pub const UNEXPLAINED: Self = Self::own(Wait::Unexplained);

    /// Returns the cause of a commit's own time outside of calls on files.
    pub const fn own(wait: Wait) -> Self {
        Self {
            who: Who::Own,
            io: None,
            wait,
        }
    }

    /// Returns the words for what was waited for: the call on a file, if it was in one, and the wait.
    pub fn words(self) -> String {
        let io = self.io.map(|(class, op)| format!("{class} {op} "));
        format!("{}{}", io.unwrap_or_default(), self.wait)
    }

    /// Returns whether only a rule of last resort gives the cause: the number of the system call, a time-out, or a
    /// function without a rule.
    pub fn is_last_resort(self) -> bool {
        let by_syscall = matches!(
            self.wait,
            Wait::Timer
                | Wait::TimedWait
                | Wait::ServerFunction
                | Wait::Client
                | Wait::AsyncIo
                | Wait::FileIo
                | Wait::FileMetadata
                | Wait::DeviceIo
                | Wait::InnodbWait
        );
        (self.io.is_none() && by_syscall) || self.wait == Wait::Unclassified
    }

    /// Returns whether the cause contradicts itself in a commit: whoever waits for its client there keeps no commit waiting, but
    /// for a lock, and that has a name of its own.
    pub fn is_contradiction(self) -> bool {
        self.io.is_none() && self.wait == Wait::Client
    }

    /// Returns the cause as one number, which is many times faster to look up in a map than the cause.
    pub(crate) fn number(self) -> u32 {
        let [class, op] = self.io.map_or([0, 0], |(class, op)| [class as u8 + 1, op as u8]);
        u32::from_le_bytes([self.who as u8, class, op, self.wait as u8])
    }
}

impl From<Cause> for CauseKey {
    fn from(Cause { who, io, wait }: Cause) -> Self {
        let (file, op) = io.unzip();
        Self {
            who,
            file,
            op,
            wait,
            kind: wait.kind(),
        }
    }
}

impl TryFrom<CauseKey> for Cause {
    type Error = IncompleteCause;

    fn try_from(key: CauseKey) -> Result<Self, IncompleteCause> {
        let CauseKey {
            who, file, op, wait, ..
        } = key;
        if file.is_some() != op.is_some() {
            return Err(IncompleteCause);
        }
        let io = file.zip(op);
        Ok(Self { who, io, wait })
    }
}

stored_by_name!(Who);
