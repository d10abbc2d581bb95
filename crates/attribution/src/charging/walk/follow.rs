//! Steps of a walk from thread to thread.

use logtrace_common::TimeRange;
use logtrace_events::{OffCpu, Tid};

use crate::causes::cause::{Cause, Wait, Who};
use crate::causes::cpu_wait::run_queue;
use crate::causes::wakeup::{Awaited, Waker, awaited};
use crate::charging::group_leader::{lead_periods, leads_back};
use crate::charging::segment::Segment;
use crate::charging::walk::late_waker::{first_after_sleep, is_sleep, queued_behind, session_ahead};
use crate::charging::walk::memory::Activity;
use crate::charging::walk::path::{WalkPath, Worker};
use crate::charging::walk::state::Walk;
use crate::timeline::frames::Frames;
use crate::timeline::thread::{Stretch, Timeline};

impl Walk<'_> {
    /// Charges `window` by the work of thread `tid`. `commit_ns` is the start of a commit that the thread was in at the
    /// end of `window`.
    pub(crate) fn follow(&mut self, tid: Tid, commit_ns: Option<u64>, window: TimeRange, path: WalkPath) {
        let Some(timeline) = self.timelines.thread(tid) else {
            self.is_reusable = false;
            return self.charge_unexplained(window);
        };
        if path.is_too_long() {
            return self.charge_unexplained(window);
        }
        if self.is_recording {
            timeline.horizon.note_query(window.end_ns, commit_ns);
        }
        let known_from_ns = timeline.known_from_ns();
        self.charge_unexplained(window.before(known_from_ns));
        let known = window.since(known_from_ns);
        if tid == self.committer && !self.is_recording {
            let who = Who::Own;
            self.charge_work(timeline, known, Worker { tid, who, path });
        } else {
            self.charge_other_thread((tid, timeline), commit_ns, known, path);
        }
    }

    /// Charges `window` by the work of a thread that is not the commit's own. Its commits are a leader's work.
    fn charge_other_thread(
        &mut self,
        (tid, timeline): (Tid, &Timeline),
        commit_ns: Option<u64>,
        window: TimeRange,
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
        let open = timeline.open_commit(commit_ns, window.end_ns);
        let mut at_ns = window.start_ns;
        for commit in timeline.commits(window).chain(open) {
            let commit = commit.intersection(window).since(at_ns);
            if commit.is_empty() {
                continue;
            }
            self.charge_work(timeline, TimeRange::new(at_ns, commit.start_ns), outside);
            self.charge_work(timeline, commit, inside);
            at_ns = commit.end_ns;
        }
        self.charge_work(timeline, window.since(at_ns), outside);
    }

    /// Charges a thread's I/O system calls and the time between them.
    fn charge_work(&mut self, timeline: &Timeline, window: TimeRange, worker: Worker) {
        if window.is_empty() {
            return;
        }
        let mut at_ns = window.start_ns;
        for io in timeline.io(window) {
            let inside = io.window.intersection(window);
            self.charge_outside_io(timeline, TimeRange::new(at_ns, inside.start_ns), worker);
            self.charge_io(timeline, io, inside, worker);
            at_ns = inside.end_ns;
        }
        self.charge_outside_io(timeline, window.since(at_ns), worker);
    }

    /// Charges time outside I/O system calls. The waker decides what a blocked thread waited for.
    fn charge_outside_io(&mut self, timeline: &Timeline, window: TimeRange, worker: Worker) {
        let Worker { tid, who, .. } = worker;
        let cause = |wait| Cause { who, io: None, wait };
        timeline.stretches(window, |stretch| match stretch {
            Stretch::OnCpu(window) => self.charge_cpu(window, tid, cause(Wait::OnCpu)),
            Stretch::RunQueue(window, off) => {
                self.charge(
                    window,
                    tid,
                    cause(run_queue(off.cpu_wait)),
                    self.timelines.names.cpu_holder(off),
                );
            }
            Stretch::Blocked(window, _) if window.is_empty() => {}
            Stretch::Blocked(window, off) => match awaited(off, self.timelines.server_tgid) {
                Awaited::Thread(waker) => match self.timelines.lock_wait(timeline, off, waker.tid) {
                    Some(lock) => self.wait_for_lock(lock, waker, window, worker.path.extended()),
                    None => self.wait_for_leaders(waker, window, off, worker),
                },
                Awaited::Itself(wait) => self.charge_wait(timeline, window, off, wait, worker),
            },
        });
    }

    /// Charges `window`, in which `worker` was blocked in a `wait` that no thread of the server ended. The server's own
    /// functions give a long wait a name.
    fn charge_wait(
        &mut self,
        timeline: &Timeline,
        window: TimeRange,
        off: &OffCpu,
        wait: Wait,
        worker: Worker,
    ) {
        let (wait, frames) = self.timelines.named_wait(timeline, off, wait);
        match wait {
            Wait::Unexplained => return self.charge_unexplained(window),
            Wait::RedoWriter => {
                let threads = self.timelines.log_threads();
                return self.wait_for_log_threads(&threads, window, worker, frames);
            }
            _ => {}
        }
        let cause = Cause {
            who: worker.who,
            io: None,
            wait,
        };
        self.charge(window, worker.tid, cause, frames);
    }

    /// Charges `window`, in which a thread waited for a lock that `waker` released. The holder's commits are followed; the
    /// rest is the lock itself.
    fn wait_for_lock(
        &mut self,
        (wait, frames): (Wait, Frames),
        waker: Waker,
        window: TimeRange,
        path: WalkPath,
    ) {
        let holder = self.timelines.thread(waker.tid);
        let open = match holder {
            Some(holder) => holder.open_commit(waker.commit_ns, waker.at_ns),
            None => waker
                .commit_ns
                .map(|start_ns| TimeRange::new(start_ns, waker.at_ns)),
        };
        holder.inspect(|holder| holder.horizon.note_query(waker.at_ns, waker.commit_ns));
        let commits = holder.into_iter().flat_map(|holder| holder.commits(window));
        let cause = Cause {
            who: Who::Session,
            io: None,
            wait,
        };
        let mut at_ns = window.start_ns;
        for commit in commits.chain(open) {
            let commit = commit.intersection(window).since(at_ns);
            if !commit.is_empty() {
                self.charge(
                    TimeRange::new(at_ns, commit.start_ns),
                    waker.tid,
                    cause,
                    Some(frames),
                );
                self.wait_for(waker, commit, path);
                at_ns = commit.end_ns;
            }
        }
        self.charge(window.since(at_ns), waker.tid, cause, Some(frames));
    }

    /// Charges `window`, in which `worker` was blocked until `waker` woke it. Leaders that the server states take the
    /// waker's place while they led.
    fn wait_for_leaders(&mut self, waker: Waker, window: TimeRange, off: &OffCpu, worker: Worker) {
        let path = worker.path.extended();
        let Some(statements) = path.statements.checked_sub(1) else {
            return self.wait_for(waker, window, path);
        };
        let mut rest = window;
        for (leader, until_ns) in lead_periods(self.timelines, worker.tid, off, waker) {
            let lead_path = WalkPath { statements, ..path };
            self.wait_for(leader, rest.before(until_ns), lead_path);
            rest = rest.since(until_ns);
        }
        let statements = if leads_back(self.timelines, worker.tid, off, waker) {
            0
        } else {
            path.statements
        };
        self.wait_for(waker, rest, WalkPath { statements, ..path });
    }

    /// Charges `window`, in which a thread was blocked until `waker` woke it. Until the waker had begun its commit, the
    /// thread that it queued behind takes its place.
    pub(crate) fn wait_for(&mut self, waker: Waker, window: TimeRange, path: WalkPath) {
        if window.is_empty() {
            return;
        }
        let joined_ns = waker.commit_ns.unwrap_or(window.start_ns);
        let absent = window.before(joined_ns);
        let ahead = if absent.is_empty() || path.is_too_long() {
            None
        } else {
            queued_behind(self.timelines, waker, joined_ns).next()
        };
        match ahead {
            Some((_, ahead)) => {
                self.wait_for(ahead, absent, path.extended());
                self.charge_waker(waker, window.since(joined_ns), path);
            }
            None => self.charge_waker(waker, window, path),
        }
    }

    /// Charges `window` by the work of the waker, from the memory if possible.
    fn charge_waker(&mut self, waker: Waker, window: TimeRange, path: WalkPath) {
        if window.is_empty() {
            return;
        }
        let is_near = !self.is_recording && path.depth <= self.memory.near;
        if path.statements > 0 || is_near {
            self.follow(waker.tid, waker.commit_ns, window, path);
            return self.reattribute_sleep(waker, window, path);
        }
        let past = self.memory.past_of(waker);
        if !self.is_recording {
            self.recall(past, window, path);
        } else if path.is_too_long() {
            self.is_reusable = false;
        } else {
            self.memory.record(window, Activity::Waited(past, path.depth));
        }
    }

    /// Charges `window` of a past, after the missing part of it has been explored.
    fn recall(&mut self, past: usize, window: TimeRange, path: WalkPath) {
        if path.is_too_long() {
            return self.charge_unexplained(window);
        }
        let waker = self.memory.waker(past);
        if self.explore(past, window) {
            self.charge_pieces(past, window, path);
        } else {
            self.follow(waker.tid, waker.commit_ns, window, path);
        }
        self.reattribute_sleep(waker, window, path);
    }

    /// Charges `window` of an explored past.
    fn charge_pieces(&mut self, past: usize, window: TimeRange, path: WalkPath) {
        let tid = self.memory.waker(past).tid;
        let is_own = tid == self.committer;
        let mut at = self.memory.first_piece(past, window.start_ns);
        while let Some(piece) = self.memory.piece(past, at) {
            let part = piece.window.intersection(window);
            if part.is_empty() {
                break;
            }
            match piece.activity {
                Activity::Waited(past, further) => {
                    let depth = path.depth + further;
                    self.recall(past, part, WalkPath { depth, ..path });
                }
                Activity::Charged(Cause::UNEXPLAINED, _) => self.charge_unexplained(part),
                Activity::Charged(cause, frames) => {
                    let who = if is_own { Who::Own } else { cause.who };
                    self.charge(part, tid, Cause { who, ..cause }, frames);
                }
            }
            at += 1;
        }
    }

    /// Explores the part of `window` that the memory does not have. Returns `false` if the result must not be reused.
    fn explore(&mut self, past: usize, window: TimeRange) -> bool {
        let Waker { tid, commit_ns, .. } = self.memory.waker(past);
        while let Some(missing) = self.memory.missing(past, window, self.wide_from_ns) {
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

    /// Charges the waker's sleeps in `window` anew, if the waker queued behind another thread after a sleep.
    fn reattribute_sleep(&mut self, waker: Waker, window: TimeRange, path: WalkPath) {
        let Some(first) = first_after_sleep(self.timelines, self.segments, waker, window) else {
            return;
        };
        for segment in self.segments.split_off(first) {
            self.charge_again(segment, segment.window.before(window.start_ns));
            let inside = segment.window.since(window.start_ns);
            if is_sleep(segment.cause) {
                self.charge_sleep(segment, waker, inside, path);
            } else {
                self.charge_again(segment, inside);
            }
        }
    }

    /// Charges `window` of a sleep to the sessions that the waker queued behind.
    fn charge_sleep(&mut self, sleep: Segment, waker: Waker, window: TimeRange, path: WalkPath) {
        let mut rest = window;
        while !rest.is_empty() {
            let Some((since_ns, ahead)) = session_ahead(self.timelines, waker, rest.start_ns + 1) else {
                return self.charge_again(sleep, rest);
            };
            self.wait_for(ahead, rest.before(since_ns), path.extended());
            rest = rest.since(since_ns);
        }
    }
}
