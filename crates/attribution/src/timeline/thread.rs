//! Timeline of one thread: off-CPU intervals, I/O system calls, and commits.

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{Commit, CpuSample, CpuStacks, Io, IoOp, OffCpu, ServerWait, Wake};

use crate::causes::Wait;
use crate::causes::wakeup::waits_for_client;
use crate::timeline::history::{History, HistoryPlace, ThreadInterval};
use crate::timeline::query_horizon::{Push, QueryHorizon};

/// Timeline of one thread.
///
/// Intervals of one kind do not overlap, and an off-CPU interval is wholly inside or wholly outside an I/O system call.
/// Records that would break this are refused.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    off_cpu: History<OffCpu>,
    io: History<TracedIo>,
    commits: History<TimeRange>,
    server_waits: History<ServerWait>,
    cpu_samples: History<CpuSample>,
    /// Start of the oldest record.
    first_ns: Option<u64>,
    serves_connection: bool,
    /// Start of the request that the thread serves: the end of its last wait for its client.
    pub(crate) request_ns: u64,
    /// Wait for a message of another server, of a thread that receives these.
    pub(crate) receives: Option<Wait>,
    /// Time when the thread ended.
    pub(crate) ended_ns: Option<u64>,
    pub(crate) horizon: QueryHorizon,
}

/// Facts besides the records that answers about a thread depend on: start of the known time, ends of the forgotten times,
/// and whether the thread serves a connection.
type AnswerFacts = (Option<u64>, [u64; 3], bool);

/// I/O system call with the class of its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TracedIo {
    pub(crate) range: TimeRange,
    pub(crate) target: (FileClass, IoOp),
}

/// Places in a thread's histories to which a walk has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    off_cpu: HistoryPlace,
    io: HistoryPlace,
}

/// Part of a thread's time with one activity.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stretch<'a> {
    /// Running.
    OnCpu(TimeRange),
    /// Blocked and not yet woken.
    Blocked(TimeRange, &'a OffCpu),
    /// Runnable and not running.
    RunQueue(TimeRange, &'a OffCpu),
}

impl Timeline {
    /// Adds an off-CPU interval. Refuses it if it overlaps earlier records.
    pub(crate) fn push_off_cpu(&mut self, off: &OffCpu) -> Push {
        let before = self.extent();
        let fits = off.out_ns >= self.io.end_ns() && self.off_cpu.push(*off);
        if fits {
            self.know_since(off.out_ns);
            if waits_for_client(off) {
                self.serves_connection = true;
                self.request_ns = off.in_ns;
            }
        }
        self.pushed(fits, self.horizon.reaches_beyond(off.out_ns), before)
    }

    /// Adds an I/O system call. Refuses it if it overlaps earlier records.
    ///
    /// Its off-CPU intervals come before it.
    pub(crate) fn push_io(&mut self, io: &Io, class: FileClass) -> Push {
        let before = self.extent();
        let range = TimeRange::new(io.enter_ns, io.exit_ns);
        let target = (class, io.op);
        let fits = io.exit_ns >= self.off_cpu.end_ns()
            && !self.off_cpu.straddles(io.enter_ns)
            && self.io.push(TracedIo { range, target });
        if fits {
            self.know_since(io.enter_ns);
        }
        self.pushed(fits, self.horizon.reaches_beyond(io.enter_ns), before)
    }

    /// Adds a commit. Refuses it if it overlaps the one before.
    pub(crate) fn push_commit(&mut self, commit: &Commit) -> Push {
        let before = self.extent();
        let range = TimeRange::new(commit.start_ns, commit.end_ns);
        let fits = self.commits.push(range);
        if fits {
            self.know_since(commit.start_ns);
            self.serves_connection = true;
        }
        self.pushed(fits, self.horizon.is_changed_by_commit(commit.start_ns), before)
    }

    /// Adds the return from a long wait. Refuses it if it overlaps the one before.
    pub(crate) fn push_server_wait(&mut self, wait: &ServerWait) -> Push {
        if !self.server_waits.push(*wait) {
            return Push::Refused;
        }
        let before = TimeRange::new(wait.in_ns.saturating_sub(1), wait.in_ns);
        let off = self.off_cpu.overlapping(before).last();
        let out_ns = off.map_or(wait.in_ns, |off| off.out_ns);
        Push::added(self.horizon.reaches_beyond(out_ns))
    }

    /// Notes that the thread serves connections.
    pub(crate) fn note_session(&mut self) {
        self.serves_connection = true;
    }

    /// Adds a sample. Refuses it if it is not later than the one before. No wait has another cause through it.
    pub(crate) fn push_cpu_sample(&mut self, sample: &CpuSample) -> Push {
        if self.cpu_samples.push(*sample) {
            Push::Added
        } else {
            Push::Refused
        }
    }

    /// Returns the stacks of the samples in `range`.
    pub(crate) fn cpu_samples(&self, range: TimeRange) -> impl Iterator<Item = CpuStacks> {
        self.cpu_samples.overlapping(range).map(|sample| sample.stacks)
    }

    /// Clears the records after a gap in the trace.
    pub(crate) fn interrupt(&mut self) {
        self.off_cpu.clear();
        self.io.clear();
        self.commits.clear();
        self.server_waits.clear();
        self.cpu_samples.clear();
        self.first_ns = None;
    }

    /// Returns the start of the known time.
    pub(crate) fn known_from_ns(&self) -> u64 {
        let first_ns = self.first_ns.unwrap_or(u64::MAX);
        self.forgotten_ns().into_iter().fold(first_ns, u64::max)
    }

    /// Returns the end of the known time. Since then the thread may run or be blocked.
    pub(crate) fn known_until_ns(&self) -> u64 {
        self.off_cpu
            .end_ns()
            .max(self.io.end_ns())
            .max(self.commits.end_ns())
    }

    /// Returns the end of the last record; 0 without records.
    pub(crate) fn last_ns(&self) -> u64 {
        self.known_until_ns()
            .max(self.server_waits.end_ns())
            .max(self.cpu_samples.end_ns())
    }

    /// Notes that the thread is known since `start_ns`.
    fn know_since(&mut self, start_ns: u64) {
        self.first_ns = Some(self.first_ns.map_or(start_ns, |first_ns| first_ns.min(start_ns)));
    }

    /// Returns the effect of a record.
    fn pushed(&self, fits: bool, is_news: bool, before: AnswerFacts) -> Push {
        if fits {
            Push::added(is_news || (self.horizon.reaches_beyond(0) && before != self.extent()))
        } else {
            Push::Refused
        }
    }

    fn extent(&self) -> AnswerFacts {
        (self.first_ns, self.forgotten_ns(), self.serves_connection)
    }

    fn forgotten_ns(&self) -> [u64; 3] {
        [
            self.off_cpu.forgotten_ns(),
            self.io.forgotten_ns(),
            self.commits.forgotten_ns(),
        ]
    }

    /// Returns whether the thread has committed or has waited for a client.
    pub(crate) fn serves_connection(&self) -> bool {
        self.serves_connection && self.receives.is_none()
    }

    /// Returns the wait of this thread for which the system call alone gives `wait`.
    pub(crate) fn specific_wait(&self, wait: Wait) -> Wait {
        match wait {
            // Its sockets are those of other servers.
            Wait::Client => self.receives.unwrap_or(Wait::Client),
            wait => wait,
        }
    }

    /// Returns the commits with time in `range`, in order.
    pub(crate) fn commits(&self, range: TimeRange) -> impl Iterator<Item = TimeRange> {
        self.commits.overlapping(range).copied()
    }

    /// Returns the part before `until_ns` of a commit that began at `commit_ns`, if its record has not come yet.
    pub(crate) fn open_commit(&self, commit_ns: Option<u64>, until_ns: u64) -> Option<TimeRange> {
        let start_ns = commit_ns.filter(|&start_ns| start_ns >= self.commits.end_ns())?;
        Some(TimeRange::new(start_ns, until_ns))
    }

    /// Returns the I/O system calls with time in `range`, in order.
    pub(crate) fn io(&self, range: TimeRange) -> impl Iterator<Item = &TracedIo> {
        self.io.overlapping(range)
    }

    /// Returns the off-CPU intervals with time in `range`, in order.
    pub(crate) fn off_cpu(&self, range: TimeRange) -> impl Iterator<Item = &OffCpu> {
        self.off_cpu.overlapping(range)
    }

    /// Returns the return from the system call of a wait, if that was long.
    pub(crate) fn server_wait(&self, off: &OffCpu) -> Option<&ServerWait> {
        let after = TimeRange::new(off.in_ns, off.in_ns.saturating_add(1));
        let mut waits = self.server_waits.overlapping(after);
        waits.find(|wait| wait.in_ns == off.in_ns)
    }

    /// Returns the off-CPU intervals outside I/O system calls that begin in `range`, the newest first.
    pub(crate) fn waits_back(&self, range: TimeRange) -> impl Iterator<Item = &OffCpu> {
        let begun = self.off_cpu.begun_back(range);
        begun.filter(|off| self.io(off.range()).next().is_none())
    }

    /// Returns the places at which a walk through the time from `at_ns` on begins.
    pub(crate) fn places(&self, at_ns: u64) -> Places {
        Places {
            off_cpu: self.off_cpu.place(at_ns),
            io: self.io.place(at_ns),
        }
    }

    /// Returns the I/O system calls with time in `range`, in order, for a walk that has come to `places`.
    pub(crate) fn io_from(
        &self,
        places: &mut Places,
        range: TimeRange,
    ) -> impl Iterator<Item = &TracedIo> + use<'_> {
        self.io.overlapping_from(&mut places.io, range)
    }

    /// Returns the off-CPU intervals outside I/O system calls that begin in `range`, in order.
    pub(crate) fn waits(&self, range: TimeRange) -> impl Iterator<Item = &OffCpu> {
        let begun = self
            .off_cpu
            .overlapping(range)
            .filter(move |off| range.contains(off.out_ns));
        begun.filter(|off| self.io(off.range()).next().is_none())
    }

    /// Passes all of `range` to `visit` in order, in parts that are not empty.
    pub(crate) fn stretches<'a>(&'a self, range: TimeRange, visit: impl FnMut(Stretch<'a>)) {
        self.stretches_from(&mut self.places(range.start_ns), range, visit);
    }

    /// Does the same for a walk that has come to `places`.
    pub(crate) fn stretches_from<'a>(
        &'a self,
        places: &mut Places,
        range: TimeRange,
        mut visit: impl FnMut(Stretch<'a>),
    ) {
        if range.is_empty() {
            return;
        }
        let mut at_ns = range.start_ns;
        for off in self.off_cpu.overlapping_from(&mut places.off_cpu, range) {
            let running = TimeRange::new(at_ns, off.out_ns);
            if !running.is_empty() {
                visit(Stretch::OnCpu(running));
            }
            let off_cpu = off.range().intersection(range);
            let woken_ns = woken_ns(off);
            let (blocked, waiting) = (off_cpu.before(woken_ns), off_cpu.since(woken_ns));
            if !blocked.is_empty() {
                visit(Stretch::Blocked(blocked, off));
            }
            if !waiting.is_empty() {
                visit(Stretch::RunQueue(waiting, off));
            }
            at_ns = off_cpu.end_ns;
        }
        let running = range.since(at_ns);
        if !running.is_empty() {
            visit(Stretch::OnCpu(running));
        }
    }
}

impl ThreadInterval for OffCpu {
    fn range(&self) -> TimeRange {
        TimeRange::new(self.out_ns, self.in_ns)
    }
}

impl ThreadInterval for ServerWait {
    fn range(&self) -> TimeRange {
        TimeRange::new(self.in_ns, self.read_ns.max(self.in_ns.saturating_add(1)))
    }
}

impl ThreadInterval for CpuSample {
    fn range(&self) -> TimeRange {
        TimeRange::new(self.at_ns, self.at_ns.saturating_add(1))
    }
}

impl ThreadInterval for TracedIo {
    fn range(&self) -> TimeRange {
        self.range
    }
}

impl ThreadInterval for TimeRange {
    fn range(&self) -> TimeRange {
        *self
    }
}

/// Returns when the thread became runnable.
pub fn woken_ns(off: &OffCpu) -> u64 {
    match off.wake {
        Wake::Preempted => off.out_ns,
        Wake::By { at_ns, .. } => at_ns,
        // It ran again without a wake-up that was seen: none of the time is known to be the run queue's.
        Wake::Unknown => off.in_ns,
    }
}

/// Returns the part of `range` in which the thread was blocked and not yet woken.
pub(crate) fn blocked(off: &OffCpu, range: TimeRange) -> TimeRange {
    off.range().before(woken_ns(off)).intersection(range)
}
