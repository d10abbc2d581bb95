//! Steps of a walk from thread to thread.

use logtrace_common::TimeRange;
use logtrace_events::{OffCpu, Tid};

use crate::causes::cpu_wait::run_queue;
use crate::causes::server_rules::WakerRole;
use crate::causes::wakeup::{Awaited, Waker, awaited};
use crate::causes::{Cause, Wait, Who};
use crate::charging::Segment;
use crate::charging::group_leader::{lead_periods, leads_back};
use crate::charging::walk::late_waker::{first_after_sleep, is_sleep, queued_behind, session_ahead};
use crate::charging::walk::memory::Activity;
use crate::charging::walk::own_wait::OwnWait;
use crate::charging::walk::path::{WalkPath, Worker};
use crate::charging::walk::state::Walk;
use crate::timeline::thread::{Places, Stretch, Timeline};
use crate::timeline::turns::LastTurn;

impl Walk<'_> {
    /// Charges `range` by the work of thread `tid`. `commit_ns` is the start of a commit that the thread was in at the
    /// end of `range`.
    pub(crate) fn follow(&mut self, tid: Tid, commit_ns: Option<u64>, range: TimeRange, path: WalkPath) {
        let Some(timeline) = self.timelines.thread(tid) else {
            self.is_reusable = false;
            return self.charge_unexplained(range);
        };
        if path.is_too_long() {
            return self.charge_unexplained(range);
        }
        if self.is_recording {
            timeline.horizon.note_query(range.end_ns, commit_ns);
        }
        let known_from_ns = timeline.known_from_ns();
        self.charge_unexplained(range.before(known_from_ns));
        let known = range.since(known_from_ns);
        if tid == self.committer && !self.is_recording {
            let who = Who::Own;
            let places = &mut timeline.places(known.start_ns);
            self.charge_work(timeline, places, known, Worker { tid, who, path });
        } else {
            self.charge_other_thread((tid, timeline), commit_ns, known, path);
        }
    }

    /// Charges `range` by the work of a thread that is not the commit's own. Its commits are a leader's work.
    fn charge_other_thread(
        &mut self,
        (tid, timeline): (Tid, &Timeline),
        commit_ns: Option<u64>,
        range: TimeRange,
        path: WalkPath,
    ) {
        let who = if timeline.serves_connection() {
            Who::Session
        } else {
            Who::Background
        };
        let outside = Worker { tid, who, path };
        let inside = Worker {
            who: Who::Leader,
            ..outside
        };
        let open = timeline.open_commit(commit_ns, range.end_ns);
        let places = &mut timeline.places(range.start_ns);
        let mut at_ns = range.start_ns;
        for commit in timeline.commits(range).chain(open) {
            let commit = commit.intersection(range).since(at_ns);
            if commit.is_empty() {
                continue;
            }
            let before = TimeRange::new(at_ns, commit.start_ns);
            self.charge_work(timeline, places, before, outside);
            self.charge_work(timeline, places, commit, inside);
            at_ns = commit.end_ns;
        }
        self.charge_work(timeline, places, range.since(at_ns), outside);
    }

    /// Charges a thread's I/O system calls and the time between them.
    fn charge_work(&mut self, timeline: &Timeline, places: &mut Places, range: TimeRange, worker: Worker) {
        if range.is_empty() {
            return;
        }
        let mut at_ns = range.start_ns;
        for io in timeline.io_from(places, range) {
            let inside = io.range.intersection(range);
            let before = TimeRange::new(at_ns, inside.start_ns);
            self.charge_outside_io(timeline, places, before, worker);
            self.charge_io(timeline, places, io, inside, worker);
            at_ns = inside.end_ns;
        }
        self.charge_outside_io(timeline, places, range.since(at_ns), worker);
    }

    /// Charges time outside I/O system calls. The waker decides what a blocked thread waited for.
    fn charge_outside_io(
        &mut self,
        timeline: &Timeline,
        places: &mut Places,
        range: TimeRange,
        worker: Worker,
    ) {
        let Worker { tid, who, .. } = worker;
        let cause = |wait| Cause { who, io: None, wait };
        timeline.stretches_from(places, range, |stretch| match stretch {
            Stretch::OnCpu(range) => self.charge_cpu(range, tid, cause(Wait::OnCpu)),
            Stretch::RunQueue(range, off) => {
                self.charge(
                    range,
                    tid,
                    cause(run_queue(off.cpu_wait)),
                    self.timelines.names.cpu_holder(off),
                );
            }
            Stretch::Blocked(range, off) => match awaited(off, self.timelines.server_tgid) {
                Awaited::Thread(waker) => self.charge_woken(timeline, range, off, waker, worker),
                Awaited::Itself(wait @ (Wait::TimedWait | Wait::Timer)) => {
                    self.charge_turn(timeline, range, off, wait, worker);
                }
                Awaited::Itself(wait) => self.charge_wait(timeline, range, off, wait, worker),
            },
        });
    }

    /// Charges `range`, in which `worker` was blocked until `waker` woke it. The function in which it waited, where that was
    /// read, decides what of the waker's time explains the wait.
    fn charge_woken(
        &mut self,
        timeline: &Timeline,
        range: TimeRange,
        off: &OffCpu,
        waker: Waker,
        worker: Worker,
    ) {
        let function = self.timelines.function_wait(timeline, off, waker.tid);
        match function {
            Some(function) if function.wait.is_lock() => {
                let lock = OwnWait::for_lock(waker.tid, function);
                self.wait_for_lock(lock, waker, range, worker.path.extended());
            }
            Some(function) if function.waker == WakerRole::Completed => {
                self.charge_itself(OwnWait::of(worker, function), range);
            }
            function => {
                let itself = function.map(|function| OwnWait::of(worker, function));
                self.wait_for_leaders((waker, itself), range, off, worker);
            }
        }
    }

    /// Charges `range`, in which `worker` was blocked until its time ran out. If that was a turn of a longer wait, who ended
    /// that ended this one.
    fn charge_turn(
        &mut self,
        timeline: &Timeline,
        range: TimeRange,
        off: &OffCpu,
        wait: Wait,
        worker: Worker,
    ) {
        match self.timelines.last_turn(timeline, off) {
            Some(LastTurn::EndedBy(waker)) => self.charge_woken(timeline, range, off, waker, worker),
            Some(LastTurn::Open) => {
                self.is_reusable = false;
                self.charge_wait(timeline, range, off, wait, worker);
            }
            Some(LastTurn::NotEnded) | None => self.charge_wait(timeline, range, off, wait, worker),
        }
    }

    /// Charges `range`, in which `worker` was blocked in a `wait` that no thread of the server ended. The server's own
    /// functions give a long wait a name.
    fn charge_wait(
        &mut self,
        timeline: &Timeline,
        range: TimeRange,
        off: &OffCpu,
        wait: Wait,
        worker: Worker,
    ) {
        let (wait, frames) = self.timelines.named_wait(timeline, off, wait);
        match wait {
            Wait::Unexplained => return self.charge_unexplained(range),
            Wait::RedoWriter => {
                let threads = self.timelines.log_threads();
                return self.wait_for_log_threads(&threads, range, worker, frames);
            }
            _ => {}
        }
        let cause = Cause {
            who: worker.who,
            io: None,
            wait,
        };
        self.charge(range, worker.tid, cause, frames);
    }

    /// Charges `range`, in which a thread waited for a lock that `waker` released. The holder's commits are followed; the
    /// rest is the lock itself.
    fn wait_for_lock(&mut self, lock: OwnWait, waker: Waker, range: TimeRange, path: WalkPath) {
        let holder = self.timelines.thread(waker.tid);
        let open = match holder {
            Some(holder) => holder.open_commit(waker.commit_ns, waker.at_ns),
            None => waker
                .commit_ns
                .map(|start_ns| TimeRange::new(start_ns, waker.at_ns)),
        };
        holder.inspect(|holder| holder.horizon.note_query(waker.at_ns, waker.commit_ns));
        let commits = holder.into_iter().flat_map(|holder| holder.commits(range));
        let mut at_ns = range.start_ns;
        for commit in commits.chain(open) {
            let commit = commit.intersection(range).since(at_ns);
            if !commit.is_empty() {
                self.charge_itself(lock, TimeRange::new(at_ns, commit.start_ns));
                self.wait_for((waker, Some(lock)), commit, path);
                at_ns = commit.end_ns;
            }
        }
        self.charge_itself(lock, range.since(at_ns));
    }

    /// Charges `range`, in which `worker` was blocked until `waker` woke it. Leaders that the server states take the
    /// waker's place while they led.
    fn wait_for_leaders(
        &mut self,
        (waker, itself): (Waker, Option<OwnWait>),
        range: TimeRange,
        off: &OffCpu,
        worker: Worker,
    ) {
        let path = worker.path.extended();
        let Some(statements) = path.statements.checked_sub(1) else {
            return self.wait_for((waker, itself), range, path);
        };
        let mut rest = range;
        for (leader, until_ns) in lead_periods(self.timelines, worker.tid, off, waker) {
            let lead_path = WalkPath { statements, ..path };
            self.wait_for((leader, itself), rest.before(until_ns), lead_path);
            rest = rest.since(until_ns);
        }
        if rest.is_empty() {
            return;
        }
        let statements = if leads_back(self.timelines, worker.tid, off, waker) {
            0
        } else {
            path.statements
        };
        self.wait_for((waker, itself), rest, WalkPath { statements, ..path });
    }

    /// Charges `range`, in which a thread was blocked until `waker` woke it. Until the waker had begun its commit, the
    /// thread that it queued behind takes its place, or else the wait itself.
    pub(crate) fn wait_for(
        &mut self,
        (waker, itself): (Waker, Option<OwnWait>),
        range: TimeRange,
        path: WalkPath,
    ) {
        if range.is_empty() {
            return;
        }
        let entered_ns = match itself {
            Some(wait) if wait.waker == WakerRole::Worked => range.start_ns,
            _ => waker.commit_ns.unwrap_or(range.start_ns),
        };
        let absent = range.before(entered_ns);
        let ahead = if absent.is_empty() || path.is_too_long() {
            None
        } else {
            queued_behind(self.timelines, waker, entered_ns).next()
        };
        let present = match (ahead, itself) {
            (Some((_, ahead)), _) => {
                self.wait_for((ahead, itself), absent, path.extended());
                range.since(entered_ns)
            }
            (None, Some(itself)) => {
                self.charge_itself(itself, absent);
                range.since(entered_ns)
            }
            (None, None) => range,
        };
        self.charge_waker((waker, itself), present, path);
    }

    /// Charges `range` by the work of the waker, from the memory if possible.
    fn charge_waker(&mut self, (waker, itself): (Waker, Option<OwnWait>), range: TimeRange, path: WalkPath) {
        if range.is_empty() {
            return;
        }
        let is_near = !self.is_recording && path.depth <= self.memory.near;
        if path.statements > 0 || is_near {
            self.follow(waker.tid, waker.commit_ns, range, path);
            self.reattribute_sleep(waker, range, path);
            return self.replace_idle(itself, range);
        }
        let past = self.memory.past_of(waker);
        if !self.is_recording {
            self.recall(past, range, path);
            self.replace_idle(itself, range);
        } else if path.is_too_long() {
            self.is_reusable = false;
        } else {
            self.memory
                .record(range, Activity::Waited(past, path.depth, itself));
        }
    }

    /// Charges `range` of a past, after the missing part of it has been explored.
    fn recall(&mut self, past: usize, range: TimeRange, path: WalkPath) {
        if path.is_too_long() {
            return self.charge_unexplained(range);
        }
        let waker = self.memory.waker(past);
        if self.explore(past, range) {
            self.charge_pieces(past, range, path);
        } else {
            self.follow(waker.tid, waker.commit_ns, range, path);
        }
        self.reattribute_sleep(waker, range, path);
    }

    /// Charges `range` of an explored past.
    fn charge_pieces(&mut self, past: usize, range: TimeRange, path: WalkPath) {
        let tid = self.memory.waker(past).tid;
        let is_own = tid == self.committer;
        let mut at = self.memory.first_piece(past, range.start_ns);
        while let Some(piece) = self.memory.piece(past, at) {
            let part = piece.range.intersection(range);
            if part.is_empty() {
                break;
            }
            match piece.activity {
                Activity::Waited(past, further, itself) => {
                    let depth = path.depth + further;
                    self.recall(past, part, WalkPath { depth, ..path });
                    self.replace_idle(itself, part);
                }
                Activity::Charged(_, Cause::UNEXPLAINED, _) => self.charge_unexplained(part),
                Activity::Charged(charged, cause, frames) => {
                    let who = if is_own && charged == tid {
                        Who::Own
                    } else {
                        cause.who
                    };
                    self.charge(part, charged, Cause { who, ..cause }, frames);
                }
            }
            at += 1;
        }
    }

    /// Explores the part of `range` that the memory does not have. Returns `false` if the result must not be reused.
    fn explore(&mut self, past: usize, range: TimeRange) -> bool {
        let Waker { tid, commit_ns, .. } = self.memory.waker(past);
        while let Some(missing) = self.memory.missing(past, range, self.wide_from_ns) {
            (self.is_recording, self.is_reusable) = (true, true);
            self.follow(tid, commit_ns, missing, WalkPath::default());
            self.is_recording = false;
            if !self.is_reusable {
                self.memory.recorded.clear();
                return false;
            }
            self.memory.store_recorded(past, missing);
        }
        true
    }

    /// Charges the waker's sleeps in `range` anew, if the waker queued behind another thread after a sleep.
    fn reattribute_sleep(&mut self, waker: Waker, range: TimeRange, path: WalkPath) {
        let Some(first) = first_after_sleep(self.timelines, self.segments, waker, range) else {
            return;
        };
        for segment in self.segments.split_off(first) {
            self.charge_again(segment, segment.range.before(range.start_ns));
            let inside = segment.range.since(range.start_ns);
            if is_sleep(segment.cause) {
                self.charge_sleep(segment, waker, inside, path);
            } else {
                self.charge_again(segment, inside);
            }
        }
    }

    /// Charges `range` of a sleep to the sessions that the waker queued behind.
    fn charge_sleep(&mut self, sleep: Segment, waker: Waker, range: TimeRange, path: WalkPath) {
        let mut rest = range;
        while !rest.is_empty() {
            let Some((since_ns, ahead)) = session_ahead(self.timelines, waker, rest.start_ns + 1) else {
                return self.charge_again(sleep, rest);
            };
            self.wait_for((ahead, None), rest.before(since_ns), path.extended());
            rest = rest.since(since_ns);
        }
    }
}
