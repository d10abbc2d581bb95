//! Encoding of records.

use crate::record::{
    CpuSample, CpuWait, File, Io, OffCpu, OtherWrites, Process, Record, ServerWait, Stack, Wake,
};
use crate::wire;

/// Returns the bytes of a record, as [`encode`] writes them.
pub fn encoded(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(record, &mut bytes);
    bytes
}

/// Encodes a record as [`crate::decode()`] reads it, at the end of `out`.
///
/// The kernel side writes its own bytes; this serves recordings, tests and benchmarks.
pub fn encode(record: &Record, out: &mut Vec<u8>) {
    match record {
        Record::OffCpu(off) => out.extend_from_slice(bytemuck::bytes_of(&off_cpu_bytes(off))),
        Record::Io(io) => out.extend_from_slice(bytemuck::bytes_of(&io_bytes(io))),
        Record::Commit(commit) => out.extend_from_slice(bytemuck::bytes_of(&wire::Commit {
            header: header(commit.end_ns, commit.tid, wire::KIND_COMMIT),
            start_ns: commit.start_ns,
        })),
        Record::File(file) => out.extend_from_slice(bytemuck::bytes_of(&file_bytes(file))),
        Record::Stack(stack) => stack_bytes(stack, wire::KIND_STACK, out),
        Record::ServerStack(stack) => stack_bytes(stack, wire::KIND_SERVER_STACK, out),
        Record::ServerWait(wait) => out.extend_from_slice(bytemuck::bytes_of(&server_wait_bytes(wait))),
        Record::Flush(flush) => out.extend_from_slice(bytemuck::bytes_of(&wire::Flush {
            header: header(flush.done_ns, 0, wire::KIND_FLUSH),
            issue_ns: flush.issue_ns,
            dev: flush.dev,
            pad: 0,
        })),
        Record::Gap(gap) => out.extend_from_slice(bytemuck::bytes_of(&wire::Gap {
            header: header(gap.end_ns, 0, wire::KIND_GAP),
            start_ns: gap.start_ns,
        })),
        Record::Member(member) => out.extend_from_slice(bytemuck::bytes_of(&wire::Member {
            header: header(member.at_ns, member.leader, wire::KIND_MEMBER),
            entered_ns: member.entered_ns,
            leader_commit_ns: member.leader_commit_ns.unwrap_or(0),
            member_tid: member.tid,
            pad: 0,
        })),
        Record::QueueEntry(entry) => out.extend_from_slice(bytemuck::bytes_of(&wire::QueueEntry {
            header: header(entry.at_ns, entry.tid, wire::KIND_QUEUE_ENTRY),
        })),
        Record::ThreadEnd(end) => out.extend_from_slice(bytemuck::bytes_of(&wire::ThreadEnd {
            header: header(end.at_ns, end.tid, wire::KIND_THREAD_END),
        })),
        Record::FlushStage(step) => out.extend_from_slice(bytemuck::bytes_of(&wire::FlushStage {
            header: header(step.at_ns, step.tid, wire::KIND_FLUSH_STAGE),
            commit_ns: step.commit_ns.unwrap_or(0),
        })),
        Record::OtherWrites(writes) => {
            out.extend_from_slice(bytemuck::bytes_of(&other_writes_bytes(writes)));
        }
        Record::Process(process) => out.extend_from_slice(bytemuck::bytes_of(&process_bytes(process))),
        Record::CpuSample(sample) => out.extend_from_slice(bytemuck::bytes_of(&cpu_sample_bytes(sample))),
        Record::CommitReturn(commit) => out.extend_from_slice(bytemuck::bytes_of(&wire::Commit {
            header: header(commit.end_ns, commit.tid, wire::KIND_COMMIT_RETURN),
            start_ns: commit.start_ns,
        })),
        Record::AsyncCommit(ended) => out.extend_from_slice(bytemuck::bytes_of(&wire::AsyncCommit {
            header: header(ended.commit.end_ns, ended.waker, wire::KIND_ASYNC_COMMIT),
            start_ns: ended.commit.start_ns,
            returned_ns: ended.returned_ns,
            waker_commit_ns: ended.waker_commit_ns.unwrap_or(0),
            commit_tid: ended.commit.tid,
            pad: 0,
        })),
        Record::Statement(statement) => out.extend_from_slice(bytemuck::bytes_of(&wire::Statement {
            header: header(statement.at_ns, statement.tid, wire::KIND_STATEMENT),
            start_ns: statement.start_ns,
            end_ns: statement.end_ns,
        })),
    }
}

fn off_cpu_bytes(off: &OffCpu) -> wire::OffCpu {
    let mut raw = wire::OffCpu {
        header: header(off.in_ns, off.tid, wire::KIND_OFF_CPU),
        out_ns: off.out_ns,
        stack: stack_number(off.stack),
        syscall: number(off.syscall),
        waker_syscall: -1,
        ..wire::OffCpu::default()
    };
    (raw.cpu_wait, raw.cpu_tgid) = cpu_wait_numbers(off.cpu_wait);
    match off.wake {
        Wake::Unknown => {}
        Wake::Preempted => {
            raw.wake_ns = off.out_ns;
            raw.waker_tid = off.tid;
        }
        Wake::By {
            at_ns,
            tid,
            tgid,
            commit_ns,
            syscall,
        } => {
            raw.wake_ns = at_ns;
            raw.waker_tid = tid;
            raw.waker_tgid = tgid;
            raw.waker_commit_ns = commit_ns.unwrap_or(0);
            raw.waker_syscall = number(syscall);
        }
    }
    raw
}

fn cpu_wait_numbers(cpu_wait: CpuWait) -> (u32, u32) {
    match cpu_wait {
        CpuWait::Unknown => (0, 0),
        CpuWait::Idle => (1, 0),
        CpuWait::Server => (2, 0),
        CpuWait::LoadGenerator => (3, 0),
        CpuWait::Logtrace => (4, 0),
        CpuWait::Kernel => (5, 0),
        CpuWait::Process(tgid) => (6, tgid),
        CpuWait::Quota => (7, 0),
    }
}

fn server_wait_bytes(wait: &ServerWait) -> wire::ServerWait {
    wire::ServerWait {
        header: header(wait.read_ns, wait.tid, wire::KIND_SERVER_WAIT),
        in_ns: wait.in_ns,
        stack: stack_number(wait.stack),
        pad: 0,
    }
}

fn cpu_sample_bytes(sample: &CpuSample) -> wire::CpuSample {
    wire::CpuSample {
        header: header(sample.at_ns, sample.tid, wire::KIND_CPU_SAMPLE),
        server_stack: stack_number(sample.stacks.server),
        kernel_stack: stack_number(sample.stacks.kernel),
    }
}

fn stack_number(id: Option<u32>) -> i32 {
    id.and_then(|id| i32::try_from(id).ok()).unwrap_or(-1)
}

fn process_bytes(process: &Process) -> wire::Process {
    wire::Process {
        header: header(0, 0, wire::KIND_PROCESS),
        tgid: process.tgid,
        pad: 0,
        name: comm_bytes(&process.name),
    }
}

fn other_writes_bytes(writes: &OtherWrites) -> wire::OtherWrites {
    wire::OtherWrites {
        header: header(writes.at_ns, 0, wire::KIND_OTHER_WRITES),
        bytes: writes.bytes,
        tgid: writes.tgid,
        dev: writes.dev,
        name: comm_bytes(&writes.name),
    }
}

fn comm_bytes(name: &str) -> [u8; wire::COMM_BYTES] {
    let mut bytes = [0; wire::COMM_BYTES];
    let length = name.len().min(wire::COMM_BYTES - 1);
    bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
    bytes
}

fn number(syscall: Option<u16>) -> i16 {
    syscall
        .and_then(|number| i16::try_from(number).ok())
        .unwrap_or(-1)
}

fn io_bytes(io: &Io) -> wire::Io {
    wire::Io {
        header: header(io.exit_ns, io.tid, wire::KIND_IO),
        enter_ns: io.enter_ns,
        ino: io.file.ino,
        ret: io.ret,
        dev: io.file.dev,
        generation: io.file.generation,
        syscall: io.op.to_syscall(),
        pad: 0,
    }
}

fn file_bytes(file: &File) -> wire::File {
    let mut names = [[0; wire::COMPONENT_BYTES]; wire::FILE_COMPONENTS];
    let mut components = 0;
    for (slot, name) in names.iter_mut().zip(file.path.rsplit('/')) {
        let kept = name.len().min(wire::COMPONENT_BYTES - 1);
        slot[..kept].copy_from_slice(&name.as_bytes()[..kept]);
        components += 1;
    }
    wire::File {
        header: header(0, 0, wire::KIND_FILE),
        ino: file.id.ino,
        dev: file.id.dev,
        generation: file.id.generation,
        components,
        pad: 0,
        names,
    }
}

fn stack_bytes(stack: &Stack, kind: u32, out: &mut Vec<u8>) {
    let text: String = stack
        .frames
        .iter()
        .flat_map(|frame| [frame.as_str(), "\n"])
        .collect();
    out.extend_from_slice(bytemuck::bytes_of(&wire::Stack {
        header: header(0, 0, kind),
        id: i32::try_from(stack.id).unwrap_or(-1),
        bytes: u32::try_from(text.len()).unwrap_or(0),
    }));
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn header(at_ns: u64, tid: u32, kind: u32) -> wire::Header {
    wire::Header { at_ns, tid, kind }
}
