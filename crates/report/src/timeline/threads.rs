//! Timelines of all threads, with groups, stacks and flushes.

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{
    Commit, CpuSample, CpuStacks, Flush, FlushStage, Io, IoOp, Join, Member, OffCpu, Process, ServerWait,
    Stack, Tid,
};
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::causes::cause::Wait;
use crate::timeline::commit_groups::Groups;
use crate::timeline::device_flushes::Flushes;
use crate::timeline::frames::FrameNames;
use crate::timeline::lost_periods::LostPeriods;
use crate::timeline::query_horizon::Push;
use crate::timeline::thread::{Stretch, Timeline};

/// Timelines of the threads of one server.
#[derive(Debug)]
pub struct Timelines {
    pub(crate) server_tgid: u32,
    threads: FxHashMap<Tid, Timeline>,
    pub(crate) names: FrameNames,
    pub(crate) flushes: Flushes,
    pub(crate) lost: LostPeriods,
    pub(crate) groups: Groups,
    /// Number that changes when a record may change an earlier explanation.
    pub(crate) revision: u64,
}

/// Number of fsync calls by the waits that they had at least once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SyncWaits {
    /// Number of calls that waited for a flush of the device that the call itself had requested.
    pub(crate) flush: u64,
    /// Number of calls that waited for the file system's journal or log.
    pub(crate) journal: u64,
}

/// Error for a record that contradicts earlier ones: records were dropped, repeated or reordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the record contradicts earlier ones of its thread and was left out; records were lost or reordered")]
pub struct Unmatched;

impl Timelines {
    /// Creates timelines of the server with process id `server_tgid`.
    pub fn new(server_tgid: u32) -> Self {
        Self {
            server_tgid,
            threads: FxHashMap::default(),
            names: FrameNames::default(),
            flushes: Flushes::default(),
            lost: LostPeriods::default(),
            groups: Groups::default(),
            revision: 0,
        }
    }

    /// Names the thread that receives the acknowledgements of replicas (semi-synchronous replication).
    pub fn name_ack_receiver(&mut self, tid: Tid) {
        self.thread_mut(tid).receives_acks = true;
        self.revision += 1;
    }

    /// Adds a thread's off-CPU interval.
    pub fn push_off_cpu(&mut self, off: &OffCpu) -> Result<(), Unmatched> {
        let pushed = self.thread_mut(off.tid).push_off_cpu(off);
        self.take(pushed)
    }

    /// Adds a thread's I/O system call, on a file of this class.
    pub fn push_io(&mut self, io: &Io, class: FileClass) -> Result<(), Unmatched> {
        match (class, io.op) {
            (FileClass::Binlog, IoOp::Write) => self.groups.push_binlog_write(io),
            (FileClass::Binlog, IoOp::Fsync) => self.groups.push_binlog_sync(io),
            _ => {}
        }
        let pushed = self.thread_mut(io.tid).push_io(io, class);
        self.take(pushed)
    }

    /// Adds a thread's commit.
    pub fn push_commit(&mut self, commit: &Commit) -> Result<(), Unmatched> {
        let pushed = self.thread_mut(commit.tid).push_commit(commit);
        self.take(pushed)?;
        self.groups.push_commit(commit);
        Ok(())
    }

    /// Adds the server's statement of whom a thread leads.
    pub fn push_member(&mut self, member: &Member) -> Result<(), Unmatched> {
        fit(self.groups.push_member(member))
    }

    /// Adds a commit to the queue of MySQL's flush stage.
    pub fn push_join(&mut self, join: Join) {
        self.groups.push_join(join);
    }

    /// Adds the start of a lead in MySQL's flush stage. Passes the members of the group to `each`.
    pub fn push_flush_stage(&mut self, step: &FlushStage, each: impl FnMut(&Member)) {
        self.groups.push_flush_stage(step, each);
    }

    /// Adds the frames of a kernel stack.
    pub fn push_stack(&mut self, stack: Stack) -> Result<(), Unmatched> {
        let pushed = self.names.push_kernel(stack);
        self.take(pushed)
    }

    /// Adds the return of a thread from a long wait.
    pub fn push_server_wait(&mut self, wait: &ServerWait) -> Result<(), Unmatched> {
        let pushed = self.thread_mut(wait.tid).push_server_wait(wait);
        self.take(pushed)
    }

    /// Adds a sample of a running thread.
    pub fn push_cpu_sample(&mut self, sample: &CpuSample) -> Result<(), Unmatched> {
        let pushed = self.thread_mut(sample.tid).push_cpu_sample(sample);
        self.take(pushed)
    }

    /// Adds the frames of a stack of the server.
    pub fn push_server_stack(&mut self, stack: Stack) -> Result<(), Unmatched> {
        let pushed = self.names.push_server(stack);
        self.take(pushed)
    }

    /// Adds the name of a process.
    pub fn push_process(&mut self, process: Process) {
        self.names.push_process(process);
    }

    /// Adds a flush of a device.
    pub fn push_flush(&mut self, flush: Flush) -> Result<(), Unmatched> {
        let pushed = self.flushes.push(flush);
        self.take(pushed)
    }

    /// Clears the timelines after a gap in the trace.
    pub fn interrupt(&mut self) {
        self.threads.values_mut().for_each(Timeline::interrupt);
        self.groups.interrupt();
        self.revision += 1;
    }

    /// Notes that records made within `period` were lost. Call it before the records after them.
    pub fn push_lost(&mut self, period: TimeRange) {
        self.lost.push(period);
        self.revision += 1;
    }

    /// Returns the waits of a system call that was just added, each 0 or 1.
    pub(crate) fn waited_for(&self, io: &Io) -> SyncWaits {
        let mut waits = SyncWaits::default();
        let Some(timeline) = self.thread(io.tid).filter(|_| io.op == IoOp::Fsync) else {
            return waits;
        };
        timeline.stretches(TimeRange::new(io.enter_ns, io.exit_ns), |stretch| {
            if let Stretch::Blocked(window, off) = stretch
                && !window.is_empty()
            {
                match self.names.kernel_wait(off.stack) {
                    Wait::DeviceFlush => waits.flush = 1,
                    Wait::JournalCommit => waits.journal = 1,
                    _ => {}
                }
            }
        });
        waits
    }

    /// Returns the timeline of a thread.
    pub(crate) fn thread(&self, tid: Tid) -> Option<&Timeline> {
        self.threads.get(&tid)
    }

    /// Returns the stacks of a thread in the samples of `window`.
    pub(crate) fn cpu_samples(&self, tid: Tid, window: TimeRange) -> impl Iterator<Item = CpuStacks> {
        let timeline = self.thread(tid).into_iter();
        timeline.flat_map(move |timeline| timeline.cpu_samples(window))
    }

    /// Returns whether a thread serves a connection.
    pub(crate) fn serves_connection(&self, tid: Tid) -> bool {
        let timeline = self.thread(tid);
        timeline.is_some_and(Timeline::serves_connection)
    }

    fn take(&mut self, pushed: Push) -> Result<(), Unmatched> {
        self.revision += u64::from(pushed == Push::Revised);
        fit(pushed != Push::Refused)
    }

    fn thread_mut(&mut self, tid: Tid) -> &mut Timeline {
        self.threads.entry(tid).or_default()
    }
}

fn fit(fits: bool) -> Result<(), Unmatched> {
    if fits { Ok(()) } else { Err(Unmatched) }
}
