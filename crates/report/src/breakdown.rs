//! What the analysis gives: commit time by cause, over all commits of the measured window.

use hdrhistogram::Histogram;
use logtrace_events::{FileClass, IoOp};

use crate::cause::Cause;

/// Where the time of all commits went.
#[derive(Clone, Debug)]
pub struct Breakdown {
    /// Durations of the commits, in nanoseconds.
    pub commits: Histogram<u64>,
    /// Sum of the durations, exact.
    pub total_ns: u64,
    /// Commits that ended in each second of the window.
    pub per_second: Vec<u64>,
    /// Each cause that was charged, the largest first; the totals sum to `total_ns` exactly.
    pub causes: Vec<CauseTotal>,
    /// The slowest hundredth of the commits.
    pub slowest: Slowest,
    /// System calls on each file within the window, by whatever thread.
    pub files: Vec<FileTotal>,
    /// Flushes that each device did within the window, for whoever waited, where they were traced.
    pub devices: Vec<DeviceTotal>,
    /// What the response times of the requests that could be joined with their connection's thread were made of.
    pub response: ResponseTotal,
    /// Statements outside of their commits, where they were explained.
    pub statements: Option<StatementTotal>,
    /// What was left out on purpose, where only bursts were traced: everything else here is of the bursts alone.
    pub gaps: Option<GapTotal>,
    /// Charged time by stack: frames from the outermost, without the leading `commit`.
    pub stacks: Vec<StackTotal>,
    /// Commits whose segments did not sum to their duration, overlapped, or were negative.
    pub invariant_violations: u64,
    /// Records that did not fit (an interval that overlaps the one before it on its thread, and the like).
    pub unmatched: u64,
    /// Kernel stacks of blocks that no rule knows, with their time, the largest first.
    pub unclassified: Vec<StackTotal>,
}

/// The times of the window in which the tracer did not look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapTotal {
    /// How many.
    pub count: u64,
    /// Nanoseconds in them.
    pub untraced_ns: u64,
    /// Nanoseconds of the window outside of them.
    pub traced_ns: u64,
}

/// What one cause took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauseTotal {
    /// The cause.
    pub cause: Cause,
    /// Nanoseconds, over all commits.
    pub total_ns: u64,
    /// Commits that it delayed.
    pub commits: u64,
    /// Nanoseconds within the slowest hundredth of the commits.
    pub slowest_ns: u64,
}

/// The slowest hundredth of the commits, cut at a bucket of the histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slowest {
    /// How many.
    pub commits: u64,
    /// Sum of their durations.
    pub total_ns: u64,
}

/// The system calls of one kind on one file.
#[derive(Clone, Debug)]
pub struct FileTotal {
    /// What the file is to the server.
    pub class: FileClass,
    /// Its path inside its file system.
    pub path: String,
    /// Write or fsync.
    pub op: IoOp,
    /// Bytes written.
    pub bytes: u64,
    /// Sum of the durations in nanoseconds.
    pub total_ns: u64,
    /// The durations.
    pub durations: Histogram<u64>,
    /// What of the file system they waited for.
    pub waits: SyncWaits,
}

/// How many system calls waited for what, at least once each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncWaits {
    /// For a flush of the device that the call itself asked for.
    pub flush: u64,
    /// For the file system's journal or log.
    pub journal: u64,
}

/// Response times by part, in nanoseconds; the parts sum to the total exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseTotal {
    /// Requests that were joined.
    pub requests: u64,
    /// Requests that the server did and that could not be joined.
    pub unjoined: u64,
    /// Requests that the server did while the tracer did not look all the time.
    pub untraced: u64,
    /// Done - due.
    pub total_ns: u64,
    /// Sent - due.
    pub lag_ns: u64,
    /// The client and the network, both ways, and between the statements of a transaction.
    pub client_ns: u64,
    /// The server until its commit, and all of what it did where it did not commit.
    pub before_ns: u64,
    /// Commits.
    pub commit_ns: u64,
    /// The server from its commit until it waited for the client again, or the client had its answer.
    pub after_ns: u64,
}

/// Where the time of statements went outside of their commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementTotal {
    /// How many.
    pub count: u64,
    /// Sum of their time outside of commits.
    pub total_ns: u64,
    /// Each cause, the largest first; the totals sum to `total_ns` exactly. `commits` counts statements.
    pub causes: Vec<CauseTotal>,
}

/// The flushes of one device.
#[derive(Clone, Debug)]
pub struct DeviceTotal {
    /// The disk, as the kernel encodes it (major << 20 | minor).
    pub dev: u32,
    /// Sum of the durations in nanoseconds.
    pub total_ns: u64,
    /// The durations.
    pub durations: Histogram<u64>,
}

/// Time charged to one stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackTotal {
    /// Frames, outermost first.
    pub frames: Vec<String>,
    /// Nanoseconds.
    pub total_ns: u64,
}
