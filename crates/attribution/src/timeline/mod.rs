//! Timelines: the history of each thread, its groups of commits, stacks, and flushes of devices.

pub(crate) mod commit_groups;
pub(crate) mod device_flushes;
pub(crate) mod frames;
pub(crate) mod history;
pub(crate) mod lost_periods;
pub(crate) mod named_wait;
pub(crate) mod query_horizon;
pub(crate) mod room;
pub(crate) mod stacks;
#[cfg(test)]
mod tests;
pub(crate) mod thread;
pub(crate) mod thread_table;
pub(crate) mod turns;

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{
    Commit, CpuSample, CpuStacks, Flush, FlushStage, Io, IoOp, Member, OffCpu, Process, QueueEntry,
    ServerWait, Stack, ThreadEnd, Tid,
};
use thiserror::Error;

use crate::causes::Wait;
use crate::causes::wakeup::waits_for_client;
use crate::timeline::commit_groups::StatedGroups;
use crate::timeline::device_flushes::Flushes;
use crate::timeline::frames::FrameNames;
use crate::timeline::history::ThreadInterval;
use crate::timeline::lost_periods::LostPeriods;
use crate::timeline::query_horizon::Push;
use crate::timeline::room::{Room, is_forgettable};
use crate::timeline::thread::{Stretch, Timeline};
use crate::timeline::thread_table::ThreadTable;

/// Timelines of the threads of one server.
#[derive(Debug)]
pub struct Timelines {
    pub(crate) server_tgid: u32,
    threads: ThreadTable<Timeline>,
    room: Room,
    pub(crate) names: FrameNames,
    pub(crate) flushes: Flushes,
    pub(crate) lost: LostPeriods,
    pub(crate) groups: StatedGroups,
    /// Last threads without a connection that synced and that wrote the redo log.
    redo_syncer: Option<Tid>,
    redo_writer: Option<Tid>,
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
            threads: ThreadTable::default(),
            room: Room::default(),
            names: FrameNames::default(),
            flushes: Flushes::default(),
            lost: LostPeriods::default(),
            groups: StatedGroups::default(),
            redo_syncer: None,
            redo_writer: None,
            revision: 0,
        }
    }

    /// Names the thread that receives the acknowledgements of replicas (semi-synchronous replication).
    pub fn name_ack_receiver(&mut self, tid: Tid) {
        self.name_receiver(tid, Wait::SemisyncAck);
    }

    /// Names the thread that receives the messages of a Galera cluster.
    pub fn name_cluster_receiver(&mut self, tid: Tid) {
        self.name_receiver(tid, Wait::Galera);
    }

    fn name_receiver(&mut self, tid: Tid, wait: Wait) {
        self.thread_mut(tid, 0).receives = Some(wait);
        self.revision += 1;
    }

    /// Adds a thread's off-CPU interval.
    pub fn push_off_cpu(&mut self, off: &OffCpu) -> Result<(), Unmatched> {
        let pushed = self.thread_mut(off.tid, off.in_ns).push_off_cpu(off);
        self.take(pushed)
    }

    /// Notes that a thread serves connections.
    pub(crate) fn note_session(&mut self, tid: Tid, at_ns: u64) {
        if !self.serves_connection(tid) {
            self.thread_mut(tid, at_ns).note_session();
            self.revision += 1;
        }
    }

    /// Adds a thread's I/O system call, on a file of this class.
    pub fn push_io(&mut self, io: &Io, class: FileClass) -> Result<(), Unmatched> {
        match (class, io.op) {
            (FileClass::Binlog, IoOp::Write) => self.groups.push_binlog_write(io),
            (FileClass::Binlog, IoOp::Fsync) => self.groups.push_binlog_sync(io),
            (FileClass::Redo, _) => self.note_log_thread(io),
            _ => {}
        }
        let pushed = self.thread_mut(io.tid, io.exit_ns).push_io(io, class);
        self.take(pushed)
    }

    /// Notes which threads write and sync the redo log for others. Another one may change earlier explanations.
    fn note_log_thread(&mut self, io: &Io) {
        if self.serves_connection(io.tid) {
            return;
        }
        let noted = match io.op {
            IoOp::Fsync => &mut self.redo_syncer,
            IoOp::Write => &mut self.redo_writer,
            IoOp::Read => return,
        };
        if noted.replace(io.tid) != Some(io.tid) {
            self.revision += 1;
        }
    }

    /// Returns the threads that write and sync the redo log for others: first the one that syncs it.
    pub(crate) fn log_threads(&self) -> [Option<Tid>; 2] {
        [self.redo_syncer, self.redo_writer]
    }

    /// Adds a thread's commit.
    pub fn push_commit(&mut self, commit: &Commit) -> Result<(), Unmatched> {
        let pushed = self.thread_mut(commit.tid, commit.end_ns).push_commit(commit);
        self.take(pushed)?;
        self.groups.push_commit(commit);
        Ok(())
    }

    /// Adds the server's statement of whom a thread leads.
    pub fn push_member(&mut self, member: &Member) -> Result<(), Unmatched> {
        fit(self.groups.push_member(member))
    }

    /// Adds a commit to the queue of MySQL's flush stage.
    pub fn push_queue_entry(&mut self, entry: QueueEntry) {
        self.groups.push_queue_entry(entry);
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
        let pushed = self.thread_mut(wait.tid, wait.read_ns).push_server_wait(wait);
        self.take(pushed)
    }

    /// Adds a sample of a running thread.
    pub fn push_cpu_sample(&mut self, sample: &CpuSample) -> Result<(), Unmatched> {
        let pushed = self.thread_mut(sample.tid, sample.at_ns).push_cpu_sample(sample);
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

    /// Notes the end of a thread. Its past is held for a moment, and a later record of its id is of another thread.
    pub fn push_thread_end(&mut self, end: ThreadEnd) {
        if let Some(timeline) = self.threads.get_mut(end.tid) {
            timeline.ended_ns = Some(end.at_ns);
        }
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
            if let Stretch::Blocked(_, off) = stretch {
                match self.names.kernel_wait(off.stack) {
                    Wait::DeviceFlush => waits.flush = 1,
                    Wait::JournalCommit => waits.journal = 1,
                    _ => {}
                }
            }
        });
        waits
    }

    pub(crate) fn thread(&self, tid: Tid) -> Option<&Timeline> {
        self.threads.get(tid)
    }

    /// Returns the stacks of a thread in the samples of `range`.
    pub(crate) fn cpu_samples(&self, tid: Tid, range: TimeRange) -> impl Iterator<Item = CpuStacks> {
        let timeline = self.thread(tid).into_iter();
        timeline.flat_map(move |timeline| timeline.cpu_samples(range))
    }

    /// Returns the start of the request that a thread serves; 0 if it is not known.
    pub(crate) fn request_ns(&self, tid: Tid) -> u64 {
        self.thread(tid).map_or(0, |timeline| timeline.request_ns)
    }

    /// Returns the waits of a thread for its client that meet `range`.
    pub(crate) fn client_waits(&self, tid: Tid, range: TimeRange) -> impl Iterator<Item = &OffCpu> {
        let timeline = self.thread(tid).into_iter();
        let waits = timeline.flat_map(move |timeline| timeline.off_cpu(range));
        waits.filter(|off| waits_for_client(off))
    }

    /// Returns the time of `range` in which a thread waited for its client, until it ran again.
    pub(crate) fn idle_ns(&self, tid: Tid, range: TimeRange) -> u64 {
        let waits = self.client_waits(tid, range);
        waits.map(|off| off.range().intersection(range).length_ns()).sum()
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

    /// Returns the timeline of a thread with a record at `at_ns`.
    fn thread_mut(&mut self, tid: Tid, at_ns: u64) -> &mut Timeline {
        if self
            .room
            .is_full(self.threads.len().max(self.groups.thread_count()))
        {
            self.forget(at_ns);
        }
        let timeline = self.threads.or_default(tid);
        if timeline.ended_ns.is_some_and(|ended_ns| ended_ns < at_ns) {
            *timeline = Timeline::default();
            self.revision += 1;
        }
        timeline
    }

    /// Forgets the threads that ended before `now_ns`, or were silent for long. What was learnt from them no longer
    /// holds: their time is unexplained from now on.
    fn forget(&mut self, now_ns: u64) {
        self.threads.extract(|_, timeline| {
            let is_old = is_forgettable(now_ns, timeline.last_ns(), timeline.ended_ns);
            is_old && timeline.receives.is_none()
        });
        self.groups.retain_threads(|tid| self.threads.contains(tid));
        self.room.make(self.threads.len().max(self.groups.thread_count()));
        self.revision += 1;
    }
}

fn fit(fits: bool) -> Result<(), Unmatched> {
    if fits { Ok(()) } else { Err(Unmatched) }
}
