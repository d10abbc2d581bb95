//! Decoded records, the input of the analysis.

use logtrace_common::TimeRange;
use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr, VariantNames};

/// Thread id.
pub type Tid = u32;

/// Event that the kernel side, or for stacks the reader, reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A thread was off the CPU.
    OffCpu(OffCpu),
    /// A thread did an I/O system call.
    Io(Io),
    /// A commit ended.
    Commit(Commit),
    /// A file was used for the first time.
    File(File),
    /// The frames of a kernel stack, before the first record that refers to it.
    Stack(Stack),
    /// A device made its write cache durable.
    Flush(Flush),
    /// Time in which not everything was traced, from the stop of tracing to the time after which all new intervals are
    /// traced. It comes after all records from before it, and before those of its own last part, in which the tracer
    /// recorded again already.
    Gap(TimeRange),
    /// The leader of a group of commits handled a member.
    Member(Member),
    /// A commit entered the queue of MySQL's flush stage.
    QueueEntry(QueueEntry),
    /// The leader of MySQL's flush stage took its queue.
    FlushStage(FlushStage),
    /// A process that delayed a thread has this name.
    Process(Process),
    /// A thread returned from a long wait.
    ServerWait(ServerWait),
    /// The frames of a stack of the server, before the first record that refers to it.
    ServerStack(Stack),
    /// A thread ran these functions.
    CpuSample(CpuSample),
    /// A thread ended.
    ThreadEnd(ThreadEnd),
    /// Another process wrote to a file system of the server.
    OtherWrites(OtherWrites),
    /// The function of a commit returned, and the commit goes on while its thread serves others: an [`AsyncCommit`] will end it.
    CommitReturn(Commit),
    /// A commit ended whose function had returned before.
    AsyncCommit(AsyncCommit),
    /// A statement of a client of a pool of threads ended.
    Statement(Statement),
}

impl Record {
    /// Returns the commit that ended, if one did.
    pub fn commit(&self) -> Option<Commit> {
        match self {
            Self::Commit(commit) => Some(*commit),
            Self::AsyncCommit(ended) => Some(ended.commit),
            _ => None,
        }
    }
}

/// Closed interval in which a thread did not run.
///
/// `out_ns <= wake <= in_ns`; from the wake-up to `in_ns` the thread waited in the run queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffCpu {
    /// The thread.
    pub tid: Tid,
    /// Time when it left the CPU.
    pub out_ns: u64,
    /// Time when it ran again.
    pub in_ns: u64,
    /// Wake-up that ended the wait.
    pub wake: Wake,
    /// The system call in which it blocked, by number; `None` outside of any.
    pub syscall: Option<u16>,
    /// Kernel stack at the block, taken only inside a traced I/O system call.
    pub stack: Option<u32>,
    /// Reason of the time from the wake-up to `in_ns`.
    pub cpu_wait: CpuWait,
}

/// Reason why a runnable thread did not run yet: the task that had its CPU.
///
/// For a woken thread this is the task that the CPU ran before it, for a preempted thread the task that took the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuWait {
    /// Unknown: the thread was not seen leaving the CPU.
    #[default]
    Unknown,
    /// No task: the CPU was idle and had to wake up.
    Idle,
    /// Another thread of the server.
    Server,
    /// Load generator of this logtrace.
    LoadGenerator,
    /// Other thread of this logtrace.
    Logtrace,
    /// Kernel thread.
    Kernel,
    /// Other process, by its id.
    Process(u32),
    /// No task: the cgroup had used up its CPU quota.
    Quota,
}

/// Frame of a thread of the server that takes the metadata lock of all objects, as an UPDATE does behind FLUSH TABLES WITH READ
/// LOCK. The same function without it takes the lock of an object.
pub const LOCK_OF_ALL_OBJECTS: &str = "MDL_context::acquire_lock(all objects)";

/// End of a long wait of a thread, with the server's functions that waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerWait {
    /// The thread.
    pub tid: Tid,
    /// End of the wait: that of an [`OffCpu`] interval of the thread.
    pub in_ns: u64,
    /// Time when the stack was read.
    pub read_ns: u64,
    /// Stack of the server's functions, if it could be read.
    pub stack: Option<u32>,
}

/// Functions that a thread ran at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuSample {
    /// The thread.
    pub tid: Tid,
    /// The moment.
    pub at_ns: u64,
    /// Its functions.
    pub stacks: CpuStacks,
}

/// Stacks of a thread that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CpuStacks {
    /// Stack of the server's functions, if it could be read.
    pub server: Option<u32>,
    /// Kernel stack, unless the thread ran in user space.
    pub kernel: Option<u32>,
}

/// Name of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub tgid: u32,
    /// Name, at most 15 bytes.
    pub name: String,
}

/// Bytes that another process wrote to files on a file system of the server, about a MiB or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherWrites {
    /// Time of the last write.
    pub at_ns: u64,
    /// Process id.
    pub tgid: u32,
    /// Device of the file system, as in [`FileId::dev`].
    pub dev: u32,
    /// Number of bytes.
    pub bytes: u64,
    /// Name of the thread that wrote last, at most 15 bytes.
    pub name: String,
}

/// Wake-up that made a thread runnable again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Preempted: the thread never stopped being runnable.
    Preempted,
    /// Woken by a thread or an interrupt.
    By {
        /// Time of the event.
        at_ns: u64,
        /// The thread that ran where the wake-up came from; 0 is the idle task.
        tid: Tid,
        /// Process of that thread.
        tgid: u32,
        /// Start of the commit that the waker was in, if it was in one.
        commit_ns: Option<u64>,
        /// The system call from which the waker woke it; `None` for a wake-up from an interrupt.
        syscall: Option<u16>,
    },
    /// Unknown: no wake-up was recorded.
    Unknown,
}

/// A file's identity while it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// Device of the file system, as the kernel encodes it (major << 20 | minor).
    pub dev: u32,
    /// Inode number.
    pub ino: u64,
    /// Inode generation.
    pub generation: u32,
}

/// A closed I/O system call on a regular file or a directory; of a call that reads, a time in which it waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// The thread.
    pub tid: Tid,
    /// Entry of the system call; of a read, the start of a wait.
    pub enter_ns: u64,
    /// Exit of the system call; of a read, the end of a wait.
    pub exit_ns: u64,
    /// The file.
    pub file: FileId,
    /// Operation of the call.
    pub op: IoOp,
    /// Bytes written or a negated errno; 0 for a read and a sync.
    pub ret: i64,
}

/// Operation of a traced system call: a write, a sync or a read.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
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
pub enum IoOp {
    /// write, writev, pwrite64, pwritev, pwritev2.
    Write,
    /// fsync, fdatasync, sync_file_range.
    Fsync,
    /// read, pread64, preadv, preadv2.
    Read,
}

impl IoOp {
    /// Returns the operation of an x86-64 system call number (arch/x86/entry/syscalls/syscall_64.tbl).
    pub fn from_syscall(number: u32) -> Option<Self> {
        match number {
            1 | 18 | 20 | 296 | 328 => Some(Self::Write),
            74 | 75 | 277 => Some(Self::Fsync),
            0 | 17 | 295 | 327 => Some(Self::Read),
            _ => None,
        }
    }

    /// Returns a system call number that stands for the operation in a recording.
    pub(crate) fn to_syscall(self) -> u32 {
        match self {
            Self::Write => 18,
            Self::Fsync => 75,
            Self::Read => 17,
        }
    }
}

/// A closed read-write commit: the time of the server's stage "waiting for handler commit".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The connection's thread.
    pub tid: Tid,
    /// Start of the window.
    pub start_ns: u64,
    /// End of the window.
    pub end_ns: u64,
}

/// Commit that ends after its function has returned, in another thread's time.
///
/// The pool of threads of MariaDB lets nobody wait for the redo log of a server without a binlog: whoever makes it durable ends
/// the commit (`thd_decrement_pending_ops()`, sql/sql_class.cc).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsyncCommit {
    /// The whole commit; its thread is the one that ran its function.
    pub commit: Commit,
    /// Return of its function.
    pub returned_ns: u64,
    /// The thread that ended it.
    pub waker: Tid,
    /// Start of the commit that the waker was in, if it was in one.
    pub waker_commit_ns: Option<u64>,
}

/// Statement of a client of a pool of threads.
///
/// It ends with its reply, or with the return of its commit's function where an [`AsyncCommit`] goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The thread that executed it.
    pub tid: Tid,
    /// Start.
    pub start_ns: u64,
    /// End.
    pub end_ns: u64,
    /// Time when its end was known.
    pub at_ns: u64,
}

/// A flush of a device's write cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flush {
    /// The disk, as the kernel encodes it (major << 20 | minor).
    pub dev: u32,
    /// Time when the flush was issued.
    pub issue_ns: u64,
    /// Time when the flush was done.
    pub done_ns: u64,
}

/// Member of a group of commits. Every group has its leader as a member too.
///
/// MariaDB's leader names each member (the queue of `trx_group_commit_leader()`, sql/log.cc). MySQL's follow from [`QueueEntry`]
/// and [`FlushStage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The thread whose commit it is.
    pub tid: Tid,
    /// The thread that leads the group.
    pub leader: Tid,
    /// Start of the leader's own commit, if it was in one.
    pub leader_commit_ns: Option<u64>,
    /// Time when the member entered the queue.
    pub entered_ns: u64,
    /// Time when the leader took the queue, or wrote the member's part of the binlog.
    pub at_ns: u64,
}

/// Commit that enters the queue of MySQL's flush stage (`MYSQL_BIN_LOG::ordered_commit()`, sql/binlog.cc). The first one in
/// the queue will lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueEntry {
    /// The thread whose commit it is.
    pub tid: Tid,
    /// Time just before it entered.
    pub at_ns: u64,
}

/// End of a thread. A later record of the same id is of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadEnd {
    /// The thread.
    pub tid: Tid,
    /// Time when it left the CPU for good.
    pub at_ns: u64,
}

/// Start of a lead in MySQL's flush stage: the leader takes the queue, with all commits that entered since it was taken last
/// (`MYSQL_BIN_LOG::process_flush_stage_queue()`, sql/binlog.cc).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushStage {
    /// The leader.
    pub tid: Tid,
    /// Time when it took the queue.
    pub at_ns: u64,
    /// Start of the commit that it is in, if it is in one.
    pub commit_ns: Option<u64>,
}

/// A file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Identity of the file.
    pub id: FileId,
    /// Path from the root of its file system, or its last eight components, joined by `/`.
    pub path: String,
}

/// Frames of a stack of the kernel or of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The id that [`OffCpu::stack`] or [`ServerWait::stack`] refers to.
    pub id: u32,
    /// Names of functions, innermost first.
    pub frames: Vec<String>,
}

/// Records that did not reach the analysis, or did not fit into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Records that the kernel side could not store: the ring or a table was full.
    pub lost: u64,
    /// Bytes that are not a record.
    pub undecodable: u64,
    /// Ends without a start, and starts that were replaced before their end came.
    pub unmatched: u64,
}
