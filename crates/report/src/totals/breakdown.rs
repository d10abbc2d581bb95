//! What the analysis gives: commit time by cause, over all commits of the measured window.

use hdrhistogram::Histogram;
use logtrace_common::FileClass;
use logtrace_events::IoOp;

use crate::causes::cause::Cause;

/// Where the time of all commits went.
#[derive(Clone, Debug)]
pub struct Breakdown {
    /// Durations of the commits, in nanoseconds.
    pub commits: Histogram<u64>,
    /// Sum of the durations, exact.
    pub total_ns: u64,
    /// Commits that ended in each second of the window.
    pub per_second: Vec<u64>,
    /// Tenths of a second in which few commits ended; none where only bursts were traced.
    pub slow_tenths: Vec<SlowTenth>,
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
    /// Groups of commits, where the server stated them.
    pub groups: Option<GroupTotal>,
    /// What was left out on purpose, where only bursts were traced: everything else here is of the bursts alone.
    pub gaps: Option<GapTotal>,
    /// All of this time by stack.
    pub stacks: StackTotals,
    /// Commits whose segments did not sum to their duration, overlapped, or were negative.
    pub invariant_violations: u64,
    /// Records that did not fit (an interval that overlaps the one before it on its thread, and the like).
    pub unmatched: u64,
    /// Kernel stacks of blocks that no rule knows, with their time, the largest first.
    pub unclassified: Vec<StackTotal>,
}

/// A tenth of a second in which less than half as many commits ended as in the median tenth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowTenth {
    /// When it began, in nanoseconds from the start of the window.
    pub at_ns: u64,
    /// Commits that ended in it.
    pub ended: u64,
    /// Commits that were under way in it.
    pub under_way: u64,
    /// What these waited for in it, in nanoseconds, the largest first.
    pub causes: Vec<(Cause, u64)>,
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

/// Groups of commits as the server stated them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupTotal {
    /// Groups of one commit, of two, and so on.
    pub sizes: Vec<u64>,
    /// Groups that the leader of another one led later on, in MySQL's sync stage.
    pub merged: u64,
    /// Commits that another thread led.
    pub led: u64,
    /// How far the wake chains of these lead elsewhere.
    pub disagreements: Disagreements,
}

/// Where wake chains lead to other threads than the server states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disagreements {
    /// Commits of which some time is charged to another thread by wake-ups alone.
    pub commits: u64,
    /// That time in nanoseconds.
    pub total_ns: u64,
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

/// What is taken apart by stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// The time of commits.
    Commit,
    /// Response times, from the client over the commit to its causes.
    Response,
    /// Statements outside of their commits.
    Statement,
}

/// Time by stack, of each [`Whole`] and without its frame; none where it was not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackTotals {
    /// Of [`Breakdown::total_ns`].
    pub commit: Vec<StackTotal>,
    /// Of [`ResponseTotal::total_ns`]; the outermost frames are those of [`Part`].
    pub response: Vec<StackTotal>,
    /// Of [`StatementTotal::total_ns`].
    pub statement: Vec<StackTotal>,
}

/// A part of a response time; in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// [`ResponseTotal::lag_ns`].
    Lag,
    /// [`ResponseTotal::client_ns`].
    Client,
    /// [`ResponseTotal::before_ns`].
    BeforeCommit,
    /// [`ResponseTotal::commit_ns`].
    Commit,
    /// [`ResponseTotal::after_ns`].
    AfterCommit,
}

/// Time charged to one stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackTotal {
    /// Frames, outermost first.
    pub frames: Vec<String>,
    /// Nanoseconds.
    pub total_ns: u64,
}

impl Whole {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::Commit, Self::Response, Self::Statement];

    /// The word used as the outermost frame.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Response => "response",
            Self::Statement => "statement",
        }
    }
}

impl StackTotals {
    /// The stacks of `whole`.
    pub fn of(&self, whole: Whole) -> &[StackTotal] {
        match whole {
            Whole::Commit => &self.commit,
            Whole::Response => &self.response,
            Whole::Statement => &self.statement,
        }
    }

    /// The same, to be filled.
    pub fn of_mut(&mut self, whole: Whole) -> &mut Vec<StackTotal> {
        match whole {
            Whole::Commit => &mut self.commit,
            Whole::Response => &mut self.response,
            Whole::Statement => &mut self.statement,
        }
    }
}

impl Part {
    /// All parts, in the order of time.
    pub const ALL: [Self; 5] = [
        Self::Lag,
        Self::Client,
        Self::BeforeCommit,
        Self::Commit,
        Self::AfterCommit,
    ];

    /// The words used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lag => "lag",
            Self::Client => "client and network",
            Self::BeforeCommit => "server before commit",
            Self::Commit => "commit",
            Self::AfterCommit => "server after commit",
        }
    }
}
