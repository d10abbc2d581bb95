//! What a piece of a commit's time is charged to.

use std::fmt;

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use serde::{Deserialize, Serialize};

/// One cause: whose work it was, on what file, and what was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cause {
    /// Whose work.
    pub who: Who,
    /// The file and operation, for time inside a traced I/O system call.
    pub io: Option<(FileClass, IoOp)>,
    /// What was waited for.
    pub wait: Wait,
}

/// Whose work the commit waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// The commit's own thread.
    Own,
    /// Another commit's thread, while it committed. Where the server states its groups: one of the commit's own group, or
    /// any before the commit had joined a group.
    Leader,
    /// The thread of a commit of another group, which was in front, since the commit had joined its own.
    #[serde(rename = "previous group")]
    PreviousGroup,
    /// Another connection's thread outside of a commit: the holder of a lock.
    Session,
    /// A thread that serves no connection: page cleaner, log threads, purge.
    Background,
}

/// What the working thread itself waited for, or did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Wait {
    /// It ran: server code, or kernel code inside an I/O system call.
    #[serde(rename = "on CPU")]
    OnCpu,
    /// It was runnable, and another thread had the CPU.
    #[serde(rename = "run queue")]
    RunQueue,
    /// Dirty pages of the file on their way to the device.
    #[serde(rename = "data writeback")]
    DataWriteback,
    /// The file system's journal or log committing (jbd2, xfs log force, btrfs tree log or transaction).
    #[serde(rename = "journal commit")]
    JournalCommit,
    /// Another flush of the device that was already under way.
    #[serde(rename = "flush queue")]
    FlushQueue,
    /// The device making its write cache durable.
    #[serde(rename = "device flush")]
    DeviceFlush,
    /// The device reading or writing directly (`O_DIRECT`).
    #[serde(rename = "device I/O")]
    DeviceIo,
    /// A lock or the space of the file system: inode, journal handle, log space, dirty-page throttling.
    #[serde(rename = "file system lock")]
    FileSystemLock,
    /// A system call that opens, creates, names, removes or resizes a file: a log that rotates or grows.
    #[serde(rename = "file metadata")]
    FileMetadata,
    /// A block inside an I/O system call that no stack rule knows.
    #[serde(rename = "unclassified")]
    Unclassified,
    /// An I/O system call on a file that was not traced itself: the lowest level of detail does not.
    #[serde(rename = "file I/O")]
    FileIo,
    /// Asynchronous I/O that a thread submitted or collected (`io_submit`, `io_getevents`, `io_uring_enter`).
    #[serde(rename = "async I/O")]
    AsyncIo,
    /// A timer: a delay that the server was told to make, or a sleep between two spins.
    #[serde(rename = "timer")]
    Timer,
    /// The client: a socket.
    #[serde(rename = "client")]
    Client,
    /// A replica, to acknowledge that it has the transaction: semi-synchronous replication.
    #[serde(rename = "semisync ACK")]
    SemisyncAck,
    /// Nothing that was seen explains it.
    #[serde(rename = "unexplained")]
    Unexplained,
}

impl Cause {
    /// Time that nothing explains.
    pub const UNEXPLAINED: Self = Self {
        who: Who::Own,
        io: None,
        wait: Wait::Unexplained,
    };

    /// The cause as one number: many times faster to look up than the cause.
    pub(crate) fn number(self) -> u32 {
        let [class, op] = self.io.map_or([0, 0], |(class, op)| [class as u8 + 1, op as u8]);
        u32::from_le_bytes([self.who as u8, class, op, self.wait as u8])
    }
}

impl Who {
    /// The word used in reports and `run.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Leader => "leader",
            Self::PreviousGroup => "previous group",
            Self::Session => "session",
            Self::Background => "background",
        }
    }
}

impl Wait {
    /// Each of them, in their order.
    pub const ALL: [Self; 16] = [
        Self::OnCpu,
        Self::RunQueue,
        Self::DataWriteback,
        Self::JournalCommit,
        Self::FlushQueue,
        Self::DeviceFlush,
        Self::DeviceIo,
        Self::FileSystemLock,
        Self::FileMetadata,
        Self::Unclassified,
        Self::FileIo,
        Self::AsyncIo,
        Self::Timer,
        Self::Client,
        Self::SemisyncAck,
        Self::Unexplained,
    ];

    /// The words used in reports and `run.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OnCpu => "on CPU",
            Self::RunQueue => "run queue",
            Self::DataWriteback => "data writeback",
            Self::JournalCommit => "journal commit",
            Self::FlushQueue => "flush queue",
            Self::DeviceFlush => "device flush",
            Self::DeviceIo => "device I/O",
            Self::FileSystemLock => "file system lock",
            Self::FileMetadata => "file metadata",
            Self::Unclassified => "unclassified",
            Self::FileIo => "file I/O",
            Self::AsyncIo => "async I/O",
            Self::Timer => "timer",
            Self::Client => "client",
            Self::SemisyncAck => "semisync ACK",
            Self::Unexplained => "unexplained",
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
