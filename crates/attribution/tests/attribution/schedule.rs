//! Random schedules of a small server: threads that run, block, wake each other, sync files and commit, and a server
//! that states anything of its groups.

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::timelines::{Timelines, Unmatched};
use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{
    Commit, CpuWait, File, FileId, FlushStage, Io, IoOp, Member, OffCpu, QueueEntry, Record, Stack, Tid, Wake,
};
use logtrace_testkit::synthetic;
use proptest::prelude::*;

pub(crate) const SERVER: u32 = 1;
const THREADS: usize = 5;
/// A thread that serves no connection: it never commits nor waits for a client.
const BACKGROUND: usize = 0;
/// Inode number of the binlog.
const BINLOG: u64 = 1;
pub(crate) const FUTEX: u16 = 202;
/// Futex, sleep, client, asynchronous I/O, and one that says nothing.
const BLOCKING: [u16; 5] = [FUTEX, SLEEP, 45, 208, 9];
const SLEEP: u16 = 230;
const STACKS: [&str; 3] = ["jbd2_log_wait_commit", "blkdev_issue_flush", "some_new_function"];

/// A server's records in ring order.
pub(crate) fn records() -> impl Strategy<Value = Vec<Record>> {
    let step = (0..THREADS, 0..THREADS, any::<u8>(), 0u64..5);
    proptest::collection::vec(step, 0..500).prop_map(|steps| {
        let mut schedule = Schedule::new(THREADS);
        for (thread, other, choice, pause_ns) in steps {
            schedule.now_ns += pause_ns;
            schedule.step(thread, other, choice);
        }
        schedule.records
    })
}

/// The analysis of such a server, of all its time.
pub(crate) fn analysis() -> Analysis {
    Analysis::new(AnalysisConfig {
        server_tgid: SERVER,
        logs: synthetic::logs(),
        window: TimeRange::new(0, u64::MAX),
    })
}

pub(crate) struct Schedule {
    pub(crate) now_ns: u64,
    pub(crate) threads: Vec<Thread>,
    pub(crate) records: Vec<Record>,
}

#[derive(Clone, Copy)]
pub(crate) struct Thread {
    pub(crate) cpu: Cpu,
    io: Option<(u64, FileId, IoOp)>,
    commit_ns: Option<u64>,
    stated: Stated,
}

/// What the server has stated of a commit.
#[derive(Clone, Copy, Default)]
struct Stated {
    is_member: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Cpu {
    Running,
    Blocked(BlockedSince),
    Runnable(BlockedSince, Wake),
}

#[derive(Clone, Copy)]
pub(crate) struct BlockedSince {
    out_ns: u64,
    syscall: Option<u16>,
    stack: Option<u32>,
}

impl Schedule {
    pub(crate) fn new(threads: usize) -> Self {
        let thread = Thread {
            cpu: Cpu::Running,
            io: None,
            commit_ns: None,
            stated: Stated::default(),
        };
        let stack = |(id, function): (usize, &&str)| {
            Record::Stack(Stack {
                id: id as u32,
                frames: vec![(*function).to_owned(), "ext4_sync_file".to_owned()],
            })
        };
        let binlog = Record::File(File {
            id: file(BINLOG),
            path: "data/binlog.000001".to_owned(),
        });
        Self {
            now_ns: 1_000,
            threads: vec![thread; threads],
            records: [binlog]
                .into_iter()
                .chain(STACKS.iter().enumerate().map(stack))
                .collect(),
        }
    }

    fn step(&mut self, at: usize, other: usize, choice: u8) {
        match self.threads[at].cpu {
            Cpu::Running => self.run(at, other, choice),
            Cpu::Blocked(block) => self.wake_from_outside(at, block, choice),
            Cpu::Runnable(block, wake) => self.switch_in(at, block, wake),
        }
    }

    fn run(&mut self, at: usize, other: usize, choice: u8) {
        let what = choice / 8;
        match choice % 8 {
            0 | 1 if at == BACKGROUND => self.block(at, what),
            0 | 1 if self.threads[at].io.is_none() => self.begin_or_end_commit(at, what),
            2 => self.enter_or_exit_io(at, what),
            3 | 4 => self.block(at, what),
            5 => self.preempt(at),
            6 if what >= 16 => self.state(at, other, what),
            _ => self.wake(at, other),
        }
    }

    pub(crate) fn begin_or_end_commit(&mut self, at: usize, what: u8) {
        match self.threads[at].commit_ns.take() {
            None => {
                self.threads[at].commit_ns = Some(self.now_ns);
                self.threads[at].stated = Stated::default();
                match what % 4 {
                    1 => self.state_member(at, at, 0),
                    2 => self.enter(at),
                    _ => {}
                }
            }
            Some(start_ns) => {
                // A commit takes time.
                self.now_ns = self.now_ns.max(start_ns + 1);
                self.records.push(Record::Commit(Commit {
                    tid: tid(at),
                    start_ns,
                    end_ns: self.now_ns,
                }));
            }
        }
    }

    /// Says something of the groups that contradicts nothing that was said of the same two commits.
    fn state(&mut self, at: usize, other: usize, what: u8) {
        match what % 4 {
            0 => self.lead_flush_stage(at),
            _ => self.state_member(at, other, what.into()),
        }
    }

    /// States that a thread leads another one, which entered its group `ago_ns` ago, if that is possible.
    fn state_member(&mut self, leader: usize, other: usize, ago_ns: u64) {
        let Thread {
            commit_ns, stated, ..
        } = self.threads[other];
        let Some(since_ns) = commit_ns.filter(|_| !stated.is_member) else {
            return;
        };
        self.threads[other].stated.is_member = true;
        self.records.push(Record::Member(Member {
            tid: tid(other),
            leader: tid(leader),
            leader_commit_ns: self.threads[leader].commit_ns,
            entered_ns: since_ns.max(self.now_ns - ago_ns),
            at_ns: self.now_ns,
        }));
    }

    fn enter(&mut self, at: usize) {
        self.threads[at].stated.is_member = true;
        self.records.push(Record::QueueEntry(QueueEntry {
            tid: tid(at),
            at_ns: self.now_ns,
        }));
    }

    fn lead_flush_stage(&mut self, at: usize) {
        self.records.push(Record::FlushStage(FlushStage {
            tid: tid(at),
            at_ns: self.now_ns,
            commit_ns: self.threads[at].commit_ns,
        }));
    }

    pub(crate) fn enter_or_exit_io(&mut self, at: usize, what: u8) {
        let op = if what.is_multiple_of(2) {
            IoOp::Write
        } else {
            IoOp::Fsync
        };
        let file = file(u64::from(what / 2 % 2));
        match self.threads[at].io.take() {
            None => self.threads[at].io = Some((self.now_ns, file, op)),
            Some((enter_ns, file, op)) => self.records.push(Record::Io(Io {
                tid: tid(at),
                enter_ns,
                exit_ns: self.now_ns,
                file,
                op,
                ret: 1,
            })),
        }
    }

    fn block(&mut self, at: usize, what: u8) {
        let what = usize::from(what);
        let block = if self.threads[at].io.is_some() {
            self.block_now(Some(75), (what % 4 < 3).then_some((what % 4) as u32))
        } else {
            let blocking: &[u16] = if at == BACKGROUND {
                &[FUTEX, SLEEP]
            } else {
                &BLOCKING
            };
            self.block_now(blocking.get(what % (blocking.len() + 3)).copied(), None)
        };
        self.threads[at].cpu = Cpu::Blocked(block);
    }

    pub(crate) fn preempt(&mut self, at: usize) {
        let block = self.block_now(None, None);
        self.threads[at].cpu = Cpu::Runnable(block, Wake::Preempted);
    }

    /// Blocks for a lock.
    pub(crate) fn queue(&mut self, at: usize) {
        self.threads[at].cpu = Cpu::Blocked(self.block_now(Some(FUTEX), None));
    }

    pub(crate) fn is_in_io(&self, at: usize) -> bool {
        self.threads[at].io.is_some()
    }

    fn block_now(&self, syscall: Option<u16>, stack: Option<u32>) -> BlockedSince {
        BlockedSince {
            out_ns: self.now_ns,
            syscall,
            stack,
        }
    }

    pub(crate) fn wake(&mut self, waker: usize, woken: usize) {
        if let Cpu::Blocked(block) = self.threads[woken].cpu {
            let wake = Wake::By {
                at_ns: self.now_ns,
                tid: tid(waker),
                tgid: SERVER,
                commit_ns: self.threads[waker].commit_ns,
                syscall: Some(FUTEX),
            };
            self.threads[woken].cpu = Cpu::Runnable(block, wake);
        }
    }

    fn wake_from_outside(&mut self, at: usize, block: BlockedSince, choice: u8) {
        let (tid, tgid, syscall) = match choice % 8 {
            0 => (0, 0, None),
            1 => (77, 77, Some(1)),
            2 => (tid(usize::from(choice) % THREADS), SERVER, None),
            3 => {
                self.threads[at].cpu = Cpu::Runnable(block, Wake::Unknown);
                return;
            }
            _ => return,
        };
        let wake = Wake::By {
            at_ns: self.now_ns,
            tid,
            tgid,
            commit_ns: None,
            syscall,
        };
        self.threads[at].cpu = Cpu::Runnable(block, wake);
    }

    pub(crate) fn switch_in(&mut self, at: usize, block: BlockedSince, wake: Wake) {
        self.threads[at].cpu = Cpu::Running;
        self.records.push(Record::OffCpu(OffCpu {
            tid: tid(at),
            out_ns: block.out_ns,
            in_ns: self.now_ns,
            wake,
            syscall: block.syscall,
            stack: block.stack,
            cpu_wait: CpuWait::Unknown,
        }));
    }
}

fn tid(at: usize) -> Tid {
    at as Tid + 10
}

fn file(ino: u64) -> FileId {
    FileId {
        dev: 1,
        ino,
        generation: 0,
    }
}

/// Class of a call's file.
pub(crate) fn class(io: &Io) -> FileClass {
    if io.file == file(BINLOG) {
        FileClass::Binlog
    } else {
        FileClass::Other
    }
}

/// Hands a record to the timelines, as the analysis does.
pub(crate) fn push(timelines: &mut Timelines, record: &Record) -> Result<(), Unmatched> {
    match record {
        Record::OffCpu(off) => timelines.push_off_cpu(off),
        Record::Io(io) => timelines.push_io(io, class(io)),
        Record::Stack(stack) => timelines.push_stack(stack.clone()),
        Record::Commit(commit) => timelines.push_commit(commit),
        Record::Flush(flush) => timelines.push_flush(*flush),
        Record::Member(member) => timelines.push_member(member),
        Record::QueueEntry(entry) => {
            timelines.push_queue_entry(*entry);
            Ok(())
        }
        Record::FlushStage(step) => {
            timelines.push_flush_stage(step, |_| ());
            Ok(())
        }
        Record::ThreadEnd(end) => {
            timelines.push_thread_end(*end);
            Ok(())
        }
        Record::Gap(_) => {
            timelines.interrupt();
            Ok(())
        }
        Record::ServerWait(wait) => timelines.push_server_wait(wait),
        Record::CpuSample(sample) => timelines.push_cpu_sample(sample),
        Record::ServerStack(stack) => timelines.push_server_stack(stack.clone()),
        Record::CommitReturn(commit) => timelines.push_commit(commit),
        Record::File(_)
        | Record::Process(_)
        | Record::OtherWrites(_)
        | Record::AsyncCommit(_)
        | Record::Statement(_) => Ok(()),
    }
}
