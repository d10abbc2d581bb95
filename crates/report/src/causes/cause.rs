//! Cause to which a piece of a commit's time is charged.

use logtrace_common::{FileClass, UnknownName};
use std::borrow::Cow;

use logtrace_events::IoOp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};
use thiserror::Error;

use crate::causes::names_schema::names;

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
}

/// Error for a cause with a file but no operation, or with an operation but no file.
#[derive(Debug, Error)]
#[error("a cause has only one of file and op; both are needed, or neither")]
struct IncompleteCause;

/// Role of the thread whose work a commit waited for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Display, VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Who {
    /// The commit's own thread.
    Own,
    /// Thread of another commit, during that commit. If the server states its groups: a thread of the commit's own
    /// group, or any committing thread before the commit had joined a group.
    Leader,
    /// Thread of a commit in an earlier group, after the commit had joined its own group.
    #[serde(rename = "previous group")]
    #[strum(serialize = "previous group")]
    PreviousGroup,
    /// Thread of another connection outside a commit: the holder of a lock.
    Session,
    /// Thread that serves no connection: page cleaner, log threads, purge.
    Background,
}

/// Wait or work of the thread that a commit waited for.
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
    EnumIter,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(into = "&'static str", try_from = "String")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = unknown_wait)]
pub enum Wait {
    /// Running: server code, or kernel code inside an I/O system call.
    #[strum(serialize = "on CPU")]
    OnCpu,
    /// Runnable while another thread had the CPU.
    #[strum(serialize = "run queue")]
    RunQueue,
    /// Dirty pages of the file on their way to the device.
    #[strum(serialize = "data writeback")]
    DataWriteback,
    /// Commit of the file system's journal or log (jbd2, xfs log force, btrfs tree log or transaction).
    #[strum(serialize = "journal commit")]
    JournalCommit,
    /// Another flush of the device that was already under way.
    #[strum(serialize = "flush queue")]
    FlushQueue,
    /// Flush of the device's write cache.
    #[strum(serialize = "device flush")]
    DeviceFlush,
    /// Direct read or write by the device (`O_DIRECT`).
    #[strum(serialize = "device I/O")]
    DeviceIo,
    /// Lock or space of the file system: inode, journal handle, log space, dirty-page throttling.
    #[strum(serialize = "file system lock")]
    FileSystemLock,
    /// System call that opens, creates, renames, removes or resizes a file: a log that rotates or grows.
    #[strum(serialize = "file metadata")]
    FileMetadata,
    /// Block inside an I/O system call with a kernel stack that no rule recognises.
    #[strum(serialize = "unclassified")]
    Unclassified,
    /// I/O system call on a file that was not traced, as at the lowest level of detail.
    #[strum(serialize = "file I/O")]
    FileIo,
    /// Asynchronous I/O that a thread submitted or collected (`io_submit`, `io_getevents`, `io_uring_enter`).
    #[strum(serialize = "async I/O")]
    AsyncIo,
    /// Timer: a configured delay, or a sleep between two spins.
    #[strum(serialize = "timer")]
    Timer,
    /// Socket of the client.
    #[strum(serialize = "client")]
    Client,
    /// Acknowledgement of the transaction by a replica (semi-synchronous replication).
    #[strum(serialize = "semisync ACK")]
    SemisyncAck,
    /// Time that no record explains.
    #[strum(serialize = "unexplained")]
    Unexplained,
}

impl Cause {
    /// Cause of time that no record explains.
    pub const UNEXPLAINED: Self = Self {
        who: Who::Own,
        io: None,
        wait: Wait::Unexplained,
    };

    /// Returns the cause as one number, which is many times faster to look up in a map than the cause.
    pub(crate) fn number(self) -> u32 {
        let [class, op] = self.io.map_or([0, 0], |(class, op)| [class as u8 + 1, op as u8]);
        u32::from_le_bytes([self.who as u8, class, op, self.wait as u8])
    }
}

impl From<Cause> for CauseKey {
    fn from(Cause { who, io, wait }: Cause) -> Self {
        let (file, op) = io.unzip();
        Self { who, file, op, wait }
    }
}

impl TryFrom<CauseKey> for Cause {
    type Error = IncompleteCause;

    fn try_from(CauseKey { who, file, op, wait }: CauseKey) -> Result<Self, IncompleteCause> {
        if file.is_some() != op.is_some() {
            return Err(IncompleteCause);
        }
        let io = file.zip(op);
        Ok(Self { who, io, wait })
    }
}

impl TryFrom<String> for Wait {
    type Error = UnknownName;

    fn try_from(name: String) -> Result<Self, UnknownName> {
        name.parse()
    }
}

impl JsonSchema for Who {
    fn schema_name() -> Cow<'static, str> {
        "Who".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        names::<Self>(generator)
    }
}

impl JsonSchema for Wait {
    fn schema_name() -> Cow<'static, str> {
        "Wait".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        names::<Self>(generator)
    }
}

fn unknown_wait(name: &str) -> UnknownName {
    UnknownName::new("wait", name, Wait::VARIANTS)
}
