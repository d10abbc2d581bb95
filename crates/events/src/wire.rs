//! The bytes of each record as they cross the ring from the kernel side (`crates/tracer/bpf/records.h`).
//!
//! The C structures carry the same names in snake case. The tracer's build script writes C assertions of every size and
//! offset from these types, and compiles the kernel side with them, so that the two cannot drift apart.

use bytemuck::{Pod, Zeroable};

/// Kind of an [`OffCpu`] record.
pub const KIND_OFF_CPU: u32 = 1;
/// Kind of an [`Io`] record.
pub const KIND_IO: u32 = 2;
/// Kind of a [`Commit`] record.
pub const KIND_COMMIT: u32 = 3;
/// Kind of a [`File`] record.
pub const KIND_FILE: u32 = 4;
/// Kind of a [`Stack`] record: written by the reader into a recording, never by the kernel side.
pub const KIND_STACK: u32 = 5;
/// Kind of a [`Flush`] record.
pub const KIND_FLUSH: u32 = 6;
/// Kind of a [`Member`] record.
pub const KIND_MEMBER: u32 = 7;
/// Kind of a [`FlushStage`] record.
pub const KIND_FLUSH_STAGE: u32 = 8;
/// Kind of a [`Gap`] record: written by the reader, never by the kernel side.
pub const KIND_GAP: u32 = 9;
/// Kind of a [`Process`] record.
pub const KIND_PROCESS: u32 = 10;

/// Kind of a [`ServerWait`] record.
pub const KIND_SERVER_WAIT: u32 = 11;
/// Kind of a [`Stack`] record with functions of the server: written by the reader, never by the kernel side.
pub const KIND_SERVER_STACK: u32 = 12;
/// Kind of a [`CpuSample`] record.
pub const KIND_CPU_SAMPLE: u32 = 13;
/// Kind of a [`QueueEntry`] record.
pub const KIND_QUEUE_ENTRY: u32 = 14;
/// Kind of a [`ThreadEnd`] record.
pub const KIND_THREAD_END: u32 = 15;
/// Kind of an [`OtherWrites`] record.
pub const KIND_OTHER_WRITES: u32 = 16;
/// Kind of a [`Commit`] record whose end is the return of the function that commits.
pub const KIND_COMMIT_RETURN: u32 = 17;
/// Kind of an [`AsyncCommit`] record.
pub const KIND_ASYNC_COMMIT: u32 = 18;
/// Kind of a [`Statement`] record.
pub const KIND_STATEMENT: u32 = 19;

/// Bytes of the name of a process (`TASK_COMM_LEN` in include/linux/sched.h).
pub const COMM_BYTES: usize = 16;

/// Path components that a [`File`] record can carry.
pub const FILE_COMPONENTS: usize = 8;
/// Bytes of one path component, the ending NUL included; a longer name is cut.
pub const COMPONENT_BYTES: usize = 48;

/// Start of every record.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Header {
    /// End of the interval.
    pub at_ns: u64,
    /// Thread of the interval.
    pub tid: u32,
    /// Kind of the record: a `KIND_` constant, if the bytes are valid.
    pub kind: u32,
}

/// Interval off the CPU, from `out_ns` until the header's `at_ns`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct OffCpu {
    /// Header; `at_ns` is the time when the thread ran again.
    pub header: Header,
    /// Time when the thread left the CPU.
    pub out_ns: u64,
    /// Time when it became runnable; `out_ns` if it was preempted, 0 if no wake-up was seen.
    pub wake_ns: u64,
    /// Start of the commit that the waker was in, or 0.
    pub waker_commit_ns: u64,
    /// The thread that ran when this one was woken; 0 is the idle task.
    pub waker_tid: u32,
    /// The process of `waker_tid`.
    pub waker_tgid: u32,
    /// Kernel stack where it blocked inside a traced system call, negative when none was taken.
    pub stack: i32,
    /// The system call in which it blocked, negative when in none (a page fault, an interrupt).
    pub syscall: i16,
    /// The system call from which the waker woke it, negative when from none.
    pub waker_syscall: i16,
    /// Reason of the time between the wake-up and `at_ns`: `enum cpu_wait` of the kernel side.
    pub cpu_wait: u32,
    /// Process that had the CPU in that time, if it is neither the server nor logtrace.
    pub cpu_tgid: u32,
}

/// I/O system call on a regular file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Io {
    /// Header; `at_ns` is the exit of the system call.
    pub header: Header,
    /// Entry of the system call.
    pub enter_ns: u64,
    /// Inode number.
    pub ino: u64,
    /// Result of the call: bytes, 0, or a negated errno.
    pub ret: i64,
    /// `s_dev` of the file system, in the kernel's own encoding (major << 20 | minor).
    pub dev: u32,
    /// `i_generation`: tells a reused inode number from the file that had it before.
    pub generation: u32,
    /// Number of the system call.
    pub syscall: u32,
    /// Padding, 0.
    pub pad: u32,
}

/// Read-write commit of the server.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Commit {
    /// Header; `at_ns` is the end of the commit.
    pub header: Header,
    /// Start of the interval.
    pub start_ns: u64,
}

/// Commit of a pool of threads that ended after its function had returned, while its thread served others.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct AsyncCommit {
    /// Header; `at_ns` is the end of the commit, `tid` is the thread that ended it.
    pub header: Header,
    /// Start of the commit.
    pub start_ns: u64,
    /// Return of its function.
    pub returned_ns: u64,
    /// Start of the commit that the thread which ended it was in, or 0.
    pub waker_commit_ns: u64,
    /// The thread that ran its function.
    pub commit_tid: u32,
    /// Padding, 0.
    pub pad: u32,
}

/// Statement of a client of a pool of threads.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Statement {
    /// Header; `at_ns` is when its end was known.
    pub header: Header,
    /// Start.
    pub start_ns: u64,
    /// End.
    pub end_ns: u64,
}

/// Flush of a device's write cache; the block layer makes one at a time for each queue (block/blk-flush.c).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Flush {
    /// Header; `at_ns` is the end of the flush, `tid` is 0.
    pub header: Header,
    /// Time when the device received the command.
    pub issue_ns: u64,
    /// The disk, in the kernel's own encoding (major << 20 | minor).
    pub dev: u32,
    /// Padding, 0.
    pub pad: u32,
}

/// Time that was not traced in full.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Gap {
    /// Header; `at_ns` is the end, `tid` is 0.
    pub header: Header,
    /// Start of the interval.
    pub start_ns: u64,
}

/// Statement of MariaDB that the leader of a group of commits handles a member, which may be itself.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Member {
    /// Header; `tid` is the leader, `at_ns` is the time when it wrote the member's part of the binlog.
    pub header: Header,
    /// Time when the member entered the queue that became the group.
    pub entered_ns: u64,
    /// Start of the leader's own commit, or 0.
    pub leader_commit_ns: u64,
    /// The member's thread.
    pub member_tid: u32,
    /// Padding, 0.
    pub pad: u32,
}

/// Commit that enters the queue of MySQL's flush stage.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct QueueEntry {
    /// Header; `at_ns` is the time just before the commit entered.
    pub header: Header,
}

/// Last moment of a thread: its number may be another thread's from now on.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct ThreadEnd {
    /// Header; `at_ns` is the time when the thread left the CPU for good.
    pub header: Header,
}

/// The leader of MySQL's flush stage takes the queue of commits.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct FlushStage {
    /// Header; `tid` is the leader.
    pub header: Header,
    /// Start of the commit that it is in, or 0.
    pub commit_ns: u64,
}

/// The name of a file, once for each file, before the first [`Io`] on it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct File {
    /// Header; `tid` is the thread that used the file first.
    pub header: Header,
    /// Inode number.
    pub ino: u64,
    /// See [`Io::dev`].
    pub dev: u32,
    /// See [`Io::generation`].
    pub generation: u32,
    /// Components in use, the file's own name first, then its parents.
    pub components: u32,
    /// Padding, 0.
    pub pad: u32,
    /// NUL-terminated names.
    pub names: [[u8; COMPONENT_BYTES]; FILE_COMPONENTS],
}

/// End of a long wait of a thread.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct ServerWait {
    /// Header; `at_ns` is the time when the stack was read.
    pub header: Header,
    /// End of the thread's [`OffCpu`] interval.
    pub in_ns: u64,
    /// Stack of the server's functions, negative when none could be read.
    pub stack: i32,
    /// Padding, 0.
    pub pad: u32,
}

/// Functions that a thread ran at one moment.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct CpuSample {
    /// Header; `at_ns` is the moment.
    pub header: Header,
    /// Stack of the server's functions, negative when none could be read.
    pub server_stack: i32,
    /// Kernel stack, negative when the thread was in none of the kernel's functions.
    pub kernel_stack: i32,
}

/// Name of a process, before the first [`OffCpu`] that refers to it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Process {
    /// Header; `tid` is 0.
    pub header: Header,
    /// Process id.
    pub tgid: u32,
    /// Padding, 0.
    pub pad: u32,
    /// NUL-terminated name.
    pub name: [u8; COMM_BYTES],
}

/// Bytes that another process wrote to files on a file system of the server since its last such record.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct OtherWrites {
    /// Header; `at_ns` is the end of the last system call, `tid` is 0.
    pub header: Header,
    /// Number of bytes.
    pub bytes: u64,
    /// Process id.
    pub tgid: u32,
    /// See [`Io::dev`].
    pub dev: u32,
    /// NUL-terminated name of the thread that wrote last.
    pub name: [u8; COMM_BYTES],
}

/// Head of the frames of one kernel stack; the names follow as text, innermost first, each ended by a newline.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Stack {
    /// Header; `at_ns` and `tid` are 0.
    pub header: Header,
    /// The id that [`OffCpu::stack`] or [`ServerWait::stack`] refers to.
    pub id: i32,
    /// Bytes of text that follow.
    pub bytes: u32,
}
