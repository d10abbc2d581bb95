//! Decoding of records.

use bytemuck::Pod;
use logtrace_common::TimeRange;
use thiserror::Error;

use crate::record::{
    AsyncCommit, Commit, CpuSample, CpuStacks, CpuWait, File, FileId, Flush, FlushStage, Io, IoOp, Member,
    OffCpu, OtherWrites, Process, QueueEntry, Record, ServerWait, Stack, Statement, ThreadEnd, Wake,
};
use crate::wire;

/// Error for bytes that are not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// Bytes that end before the record does.
    #[error("record cut short: {have} bytes where {need} are needed")]
    Truncated {
        /// Number of bytes that are there.
        have: usize,
        /// Number of bytes that are needed.
        need: usize,
    },
    /// Header with an unknown kind.
    #[error("unknown record kind {0}")]
    Kind(u32),
    /// Unknown reason why a thread did not run.
    #[error("unknown reason {0} of a wait for the CPU")]
    CpuWait(u32),
    /// System call that is not traced.
    #[error("system call {0} is not a traced one")]
    Syscall(u32),
    /// Interval that ends before it starts, or with a wake-up outside it.
    #[error("times out of order")]
    Order,
    /// Text that is not UTF-8.
    #[error("a name is not text")]
    Text,
}

/// Decodes one record. All bytes give a record or an error.
pub fn decode(bytes: &[u8]) -> Result<Record, DecodeError> {
    let header: wire::Header = take(bytes)?;
    match header.kind {
        wire::KIND_OFF_CPU => off_cpu(&take(bytes)?),
        wire::KIND_IO => io(&take(bytes)?),
        wire::KIND_COMMIT => commit(&take(bytes)?).map(Record::Commit),
        wire::KIND_COMMIT_RETURN => commit(&take(bytes)?).map(Record::CommitReturn),
        wire::KIND_ASYNC_COMMIT => async_commit(&take(bytes)?),
        wire::KIND_STATEMENT => statement(&take(bytes)?),
        wire::KIND_FILE => Ok(file(&take(bytes)?)),
        wire::KIND_STACK => stack(bytes).map(Record::Stack),
        wire::KIND_SERVER_STACK => stack(bytes).map(Record::ServerStack),
        wire::KIND_SERVER_WAIT => server_wait(&take(bytes)?),
        wire::KIND_FLUSH => flush(&take(bytes)?),
        wire::KIND_GAP => gap(&take(bytes)?),
        wire::KIND_MEMBER => member(&take(bytes)?),
        wire::KIND_FLUSH_STAGE => flush_stage(&take(bytes)?),
        wire::KIND_QUEUE_ENTRY => Ok(queue_entry(&take(bytes)?)),
        wire::KIND_THREAD_END => Ok(thread_end(&take(bytes)?)),
        wire::KIND_PROCESS => Ok(process(&take(bytes)?)),
        wire::KIND_OTHER_WRITES => Ok(other_writes(&take(bytes)?)),
        wire::KIND_CPU_SAMPLE => Ok(cpu_sample(&take(bytes)?)),
        kind => Err(DecodeError::Kind(kind)),
    }
}

fn take<T: Pod>(bytes: &[u8]) -> Result<T, DecodeError> {
    let need = size_of::<T>();
    let head = bytes.get(..need).ok_or(DecodeError::Truncated {
        have: bytes.len(),
        need,
    })?;
    Ok(bytemuck::pod_read_unaligned(head))
}

fn in_order(start_ns: u64, end_ns: u64) -> Result<(), DecodeError> {
    (start_ns <= end_ns).then_some(()).ok_or(DecodeError::Order)
}

fn off_cpu(raw: &wire::OffCpu) -> Result<Record, DecodeError> {
    let (out_ns, in_ns) = (raw.out_ns, raw.header.at_ns);
    let wake = match raw.wake_ns {
        0 => Wake::Unknown,
        at if at == out_ns && raw.waker_tid == raw.header.tid => Wake::Preempted,
        at_ns => Wake::By {
            at_ns,
            tid: raw.waker_tid,
            tgid: raw.waker_tgid,
            commit_ns: started(raw.waker_commit_ns),
            syscall: u16::try_from(raw.waker_syscall).ok(),
        },
    };
    in_order(out_ns, in_ns)?;
    if let Wake::By { at_ns, .. } = wake {
        in_order(out_ns, at_ns)?;
        in_order(at_ns, in_ns)?;
    }
    Ok(Record::OffCpu(OffCpu {
        tid: raw.header.tid,
        out_ns,
        in_ns,
        wake,
        syscall: u16::try_from(raw.syscall).ok(),
        stack: stack_id(raw.stack),
        cpu_wait: cpu_wait(raw)?,
    }))
}

/// Returns the identifier of a stack, or `None` for -1, which the kernel side writes for no stack.
fn stack_id(stack: i32) -> Option<u32> {
    u32::try_from(stack).ok()
}

/// Returns the reason that `enum cpu_wait` in bpf/records.h numbers.
fn cpu_wait(raw: &wire::OffCpu) -> Result<CpuWait, DecodeError> {
    Ok(match raw.cpu_wait {
        0 => CpuWait::Unknown,
        1 => CpuWait::Idle,
        2 => CpuWait::Server,
        3 => CpuWait::LoadGenerator,
        4 => CpuWait::Logtrace,
        5 => CpuWait::Kernel,
        6 => CpuWait::Process(raw.cpu_tgid),
        7 => CpuWait::Quota,
        unknown => return Err(DecodeError::CpuWait(unknown)),
    })
}

fn io(raw: &wire::Io) -> Result<Record, DecodeError> {
    in_order(raw.enter_ns, raw.header.at_ns)?;
    Ok(Record::Io(Io {
        tid: raw.header.tid,
        enter_ns: raw.enter_ns,
        exit_ns: raw.header.at_ns,
        file: FileId {
            dev: raw.dev,
            ino: raw.ino,
            generation: raw.generation,
        },
        op: IoOp::from_syscall(raw.syscall).ok_or(DecodeError::Syscall(raw.syscall))?,
        ret: raw.ret,
    }))
}

fn commit(raw: &wire::Commit) -> Result<Commit, DecodeError> {
    in_order(raw.start_ns, raw.header.at_ns)?;
    Ok(Commit {
        tid: raw.header.tid,
        start_ns: raw.start_ns,
        end_ns: raw.header.at_ns,
    })
}

fn async_commit(raw: &wire::AsyncCommit) -> Result<Record, DecodeError> {
    in_order(raw.start_ns, raw.returned_ns)?;
    in_order(raw.returned_ns.max(raw.waker_commit_ns), raw.header.at_ns)?;
    Ok(Record::AsyncCommit(AsyncCommit {
        commit: Commit {
            tid: raw.commit_tid,
            start_ns: raw.start_ns,
            end_ns: raw.header.at_ns,
        },
        returned_ns: raw.returned_ns,
        waker: raw.header.tid,
        waker_commit_ns: started(raw.waker_commit_ns),
    }))
}

fn statement(raw: &wire::Statement) -> Result<Record, DecodeError> {
    in_order(raw.start_ns, raw.end_ns)?;
    in_order(raw.end_ns, raw.header.at_ns)?;
    Ok(Record::Statement(Statement {
        tid: raw.header.tid,
        start_ns: raw.start_ns,
        end_ns: raw.end_ns,
        at_ns: raw.header.at_ns,
    }))
}

fn flush(raw: &wire::Flush) -> Result<Record, DecodeError> {
    in_order(raw.issue_ns, raw.header.at_ns)?;
    Ok(Record::Flush(Flush {
        dev: raw.dev,
        issue_ns: raw.issue_ns,
        done_ns: raw.header.at_ns,
    }))
}

fn gap(raw: &wire::Gap) -> Result<Record, DecodeError> {
    in_order(raw.start_ns, raw.header.at_ns)?;
    Ok(Record::Gap(TimeRange::new(raw.start_ns, raw.header.at_ns)))
}

/// Returns the start of a commit, or `None` for 0, which the kernel side writes for "in no commit".
fn started(commit_ns: u64) -> Option<u64> {
    (commit_ns != 0).then_some(commit_ns)
}

fn member(raw: &wire::Member) -> Result<Record, DecodeError> {
    in_order(raw.entered_ns.max(raw.leader_commit_ns), raw.header.at_ns)?;
    Ok(Record::Member(Member {
        tid: raw.member_tid,
        leader: raw.header.tid,
        leader_commit_ns: started(raw.leader_commit_ns),
        entered_ns: raw.entered_ns,
        at_ns: raw.header.at_ns,
    }))
}

fn queue_entry(raw: &wire::QueueEntry) -> Record {
    Record::QueueEntry(QueueEntry {
        tid: raw.header.tid,
        at_ns: raw.header.at_ns,
    })
}

fn thread_end(raw: &wire::ThreadEnd) -> Record {
    Record::ThreadEnd(ThreadEnd {
        tid: raw.header.tid,
        at_ns: raw.header.at_ns,
    })
}

fn flush_stage(raw: &wire::FlushStage) -> Result<Record, DecodeError> {
    in_order(raw.commit_ns, raw.header.at_ns)?;
    Ok(Record::FlushStage(FlushStage {
        tid: raw.header.tid,
        at_ns: raw.header.at_ns,
        commit_ns: started(raw.commit_ns),
    }))
}

fn file(raw: &wire::File) -> Record {
    let used = raw.components as usize;
    let mut names: Vec<String> = raw.names.iter().take(used).map(|name| component(name)).collect();
    names.reverse();
    Record::File(File {
        id: FileId {
            dev: raw.dev,
            ino: raw.ino,
            generation: raw.generation,
        },
        path: names.join("/"),
    })
}

fn process(raw: &wire::Process) -> Record {
    Record::Process(Process {
        tgid: raw.tgid,
        name: component(&raw.name),
    })
}

fn other_writes(raw: &wire::OtherWrites) -> Record {
    Record::OtherWrites(OtherWrites {
        at_ns: raw.header.at_ns,
        tgid: raw.tgid,
        dev: raw.dev,
        bytes: raw.bytes,
        name: component(&raw.name),
    })
}

fn component(bytes: &[u8]) -> String {
    let name = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

fn server_wait(raw: &wire::ServerWait) -> Result<Record, DecodeError> {
    in_order(raw.in_ns, raw.header.at_ns)?;
    Ok(Record::ServerWait(ServerWait {
        tid: raw.header.tid,
        in_ns: raw.in_ns,
        read_ns: raw.header.at_ns,
        stack: stack_id(raw.stack),
    }))
}

fn cpu_sample(raw: &wire::CpuSample) -> Record {
    Record::CpuSample(CpuSample {
        tid: raw.header.tid,
        at_ns: raw.header.at_ns,
        stacks: CpuStacks {
            server: stack_id(raw.server_stack),
            kernel: stack_id(raw.kernel_stack),
        },
    })
}

fn stack(bytes: &[u8]) -> Result<Stack, DecodeError> {
    let raw: wire::Stack = take(bytes)?;
    let text = bytes.get(size_of::<wire::Stack>()..).unwrap_or_default();
    let need = raw.bytes as usize;
    let text = text.get(..need).ok_or(DecodeError::Truncated {
        have: text.len(),
        need,
    })?;
    let text = std::str::from_utf8(text).map_err(|_| DecodeError::Text)?;
    let id = u32::try_from(raw.id).map_err(|_| DecodeError::Order)?;
    Ok(Stack {
        id,
        frames: text.lines().map(str::to_owned).collect(),
    })
}

#[cfg(test)]
pub(crate) mod tests;
