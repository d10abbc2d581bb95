//! One thread's time: when it was off the CPU, in I/O system calls, and in commits.

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{Commit, Io, IoOp, OffCpu, Wake};

use crate::causes::cause::Wait;
use crate::causes::wakeup::is_client_wait;
use crate::timeline::history::{History, Interval};
use crate::timeline::query_horizon::{Push, QueryHorizon};

/// What is known of one thread.
///
/// Holds for all kept records: intervals of one kind do not overlap, and an off-CPU interval is wholly inside or
/// wholly outside of an I/O system call. Records that would break this are refused.
#[derive(Debug)]
pub(crate) struct Timeline {
    off_cpu: History<OffCpu>,
    io: History<TracedIo>,
    commits: History<TimeRange>,
    first_ns: u64,
    serves_connection: bool,
    receives_acks: bool,
    horizon: QueryHorizon,
}

/// What of a thread's past answers depend on besides the records within it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Extent {
    first_ns: u64,
    forgotten_ns: [u64; 3],
    serves_connection: bool,
}

/// An I/O system call, with what the file is to the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TracedIo {
    pub(crate) window: TimeRange,
    pub(crate) target: (FileClass, IoOp),
}

/// A part of a thread's time in which it did one thing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stretch<'a> {
    /// It ran.
    OnCpu(TimeRange),
    /// It was blocked and not yet woken.
    Blocked(TimeRange, &'a OffCpu),
    /// It was runnable and did not run.
    RunQueue(TimeRange),
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            off_cpu: History::default(),
            io: History::default(),
            commits: History::default(),
            first_ns: u64::MAX,
            serves_connection: false,
            receives_acks: false,
            horizon: QueryHorizon::default(),
        }
    }
}

impl Timeline {
    /// Adds an off-CPU interval, which is refused when it overlaps what is known.
    pub(crate) fn push_off_cpu(&mut self, off: &OffCpu) -> Push {
        let before = self.extent();
        let fits = off.out_ns >= self.io.end_ns() && self.off_cpu.push(*off);
        if fits {
            self.know_since(off.out_ns);
            self.serves_connection |= off.syscall.is_some_and(is_client_wait);
        }
        self.pushed(fits, self.horizon.reaches_beyond(off.out_ns), before)
    }

    /// Adds an I/O system call, which is refused when it overlaps what is known.
    ///
    /// The off-CPU intervals inside of it came before it.
    pub(crate) fn push_io(&mut self, io: &Io, class: FileClass) -> Push {
        let before = self.extent();
        let window = TimeRange::new(io.enter_ns, io.exit_ns);
        let target = (class, io.op);
        let fits = io.exit_ns >= self.off_cpu.end_ns()
            && !self.off_cpu.straddles(io.enter_ns)
            && self.io.push(TracedIo { window, target });
        if fits {
            self.know_since(io.enter_ns);
        }
        self.pushed(fits, self.horizon.reaches_beyond(io.enter_ns), before)
    }

    /// Adds a commit, which is refused when it overlaps the one before.
    pub(crate) fn push_commit(&mut self, commit: &Commit) -> Push {
        let before = self.extent();
        let window = TimeRange::new(commit.start_ns, commit.end_ns);
        let fits = self.commits.push(window);
        if fits {
            self.know_since(commit.start_ns);
            self.serves_connection = true;
        }
        self.pushed(fits, self.horizon.is_changed_by_commit(commit.start_ns), before)
    }

    /// Something is asked about the time before `until_ns`, when the thread was in a commit since `commit_ns`: records
    /// that come later and change the answer are to be told from others.
    pub(crate) fn note_query(&self, until_ns: u64, commit_ns: Option<u64>) {
        self.horizon.note_query(until_ns, commit_ns);
    }

    /// What comes next has no connection with what was: the tracer did not look for a while.
    pub(crate) fn interrupt(&mut self) {
        self.off_cpu.clear();
        self.io.clear();
        self.commits.clear();
        self.first_ns = u64::MAX;
    }

    /// Nothing is known of the time before.
    pub(crate) fn known_from_ns(&self) -> u64 {
        self.first_ns
            .max(self.off_cpu.forgotten_ns())
            .max(self.io.forgotten_ns())
            .max(self.commits.forgotten_ns())
    }

    /// What the thread did since is not known yet: it may run, or be blocked.
    pub(crate) fn known_until_ns(&self) -> u64 {
        self.off_cpu
            .end_ns()
            .max(self.io.end_ns())
            .max(self.commits.end_ns())
    }

    /// The tracer saw the thread at `start_ns`, and so it saw all that came after.
    fn know_since(&mut self, start_ns: u64) {
        self.first_ns = self.first_ns.min(start_ns);
    }

    /// What became of a record.
    fn pushed(&self, fits: bool, is_news: bool, before: Extent) -> Push {
        if fits {
            Push::added(is_news || (self.horizon.is_any() && before != self.extent()))
        } else {
            Push::Refused
        }
    }

    fn extent(&self) -> Extent {
        Extent {
            first_ns: self.first_ns,
            forgotten_ns: [
                self.off_cpu.forgotten_ns(),
                self.io.forgotten_ns(),
                self.commits.forgotten_ns(),
            ],
            serves_connection: self.serves_connection,
        }
    }

    /// Whether it has committed, or has waited for a client.
    pub(crate) fn serves_connection(&self) -> bool {
        self.serves_connection && !self.receives_acks
    }

    /// The thread is the one that receives the replicas' acknowledgements.
    pub(crate) fn set_receives_acks(&mut self) {
        self.receives_acks = true;
    }

    /// What a wait of the thread is for, of which the system call alone tells `wait`.
    pub(crate) fn specific_wait(&self, wait: Wait) -> Wait {
        match wait {
            // Its sockets are the replicas'.
            Wait::Client if self.receives_acks => Wait::SemisyncAck,
            wait => wait,
        }
    }

    /// The commits that have time in `window`, in order.
    pub(crate) fn commits(&self, window: TimeRange) -> impl Iterator<Item = TimeRange> {
        self.commits.overlapping(window).copied()
    }

    /// The I/O system calls that have time in `window`, in order.
    pub(crate) fn io(&self, window: TimeRange) -> impl Iterator<Item = &TracedIo> {
        self.io.overlapping(window)
    }

    /// The off-CPU intervals outside of I/O system calls that begin in `window`, in order.
    pub(crate) fn waits(&self, window: TimeRange) -> impl Iterator<Item = &OffCpu> {
        let begun = self
            .off_cpu
            .overlapping(window)
            .filter(move |off| window.contains(off.out_ns));
        begun.filter(|off| self.io(off.window()).next().is_none())
    }

    /// Hands all of `window` to `visit` in order, in stretches that may be empty.
    pub(crate) fn stretches<'a>(&'a self, window: TimeRange, mut visit: impl FnMut(Stretch<'a>)) {
        if window.is_empty() {
            return;
        }
        let mut at_ns = window.start_ns;
        for off in self.off_cpu.overlapping(window) {
            visit(Stretch::OnCpu(TimeRange::new(at_ns, off.out_ns)));
            let off_cpu = off.window().intersection(window);
            let woken_ns = woken_ns(off);
            visit(Stretch::Blocked(off_cpu.before(woken_ns), off));
            visit(Stretch::RunQueue(off_cpu.since(woken_ns)));
            at_ns = off_cpu.end_ns;
        }
        visit(Stretch::OnCpu(window.since(at_ns)));
    }
}

impl Interval for OffCpu {
    fn window(&self) -> TimeRange {
        TimeRange::new(self.out_ns, self.in_ns)
    }
}

impl Interval for TracedIo {
    fn window(&self) -> TimeRange {
        self.window
    }
}

impl Interval for TimeRange {
    fn window(&self) -> TimeRange {
        *self
    }
}

/// When the thread became runnable.
fn woken_ns(off: &OffCpu) -> u64 {
    match off.wake {
        Wake::Preempted => off.out_ns,
        Wake::By { at_ns, .. } => at_ns,
        // It ran again without a wake-up that was seen: none of the time is known to be the run queue's.
        Wake::Unknown => off.in_ns,
    }
}
