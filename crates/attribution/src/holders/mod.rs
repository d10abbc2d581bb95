//! Holders: transactions for which other commits waited, by their sizes.
//!
//! A transaction's bytes are those that the server wrote to the binary log. The thread that leads a group writes those of all its
//! members in one go. So a member is told apart only by the file to which its cache went before, as that of any large
//! transaction does (`binlog_cache_size`); the others of the group share the rest. Where the server states no groups, a large
//! cache is that of a thread which writes about as much.
//!
//! Who waits for a leader that writes or syncs a large transaction waits for that one.

pub(crate) mod document;
mod processes;
mod ranking;
mod thread_transactions;
mod transaction;

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{Io, IoOp, Member, OtherWrites, Tid};

use self::document::{Holders, LARGE_BYTES};
use self::processes::OtherProcesses;
use self::ranking::Ranking;
use self::thread_transactions::ThreadTransactions;
use self::transaction::{HolderTransaction, LONG_NS, Waiters};
use crate::causes::{Cause, Who};
use crate::charging::Segment;
use crate::charging::stack_index::StackIndex;
use crate::timeline::frames::FrameNames;
use crate::timeline::room::{Room, is_forgettable};
use crate::timeline::thread_table::ThreadTable;

/// Number of transactions of a thread that are held after their ends: a commit that waited for one may end later.
const HELD_AFTER: usize = 4;

/// Growth of a transaction after which it is named again: it may have another statement by then.
const NAMED_AGAIN: u64 = 8;

/// Limit on threads that are to be named. More are there only if nobody takes them.
const MOST_WANTED: usize = 64;

/// Limit on threads that write to the binlog before it is synced, and on those with large caches.
const MOST_UNSYNCED: usize = 64;

/// Transactions while a run goes on.
#[derive(Debug)]
pub(crate) struct HolderTotals {
    window: TimeRange,
    threads: ThreadTable<ThreadTransactions>,
    room: Room,
    /// Threads that wrote to the binlog since it was synced.
    unsynced: Vec<Tid>,
    /// Threads with a large cache in a file.
    caches: Vec<Tid>,
    ranking: Ranking,
    processes: OtherProcesses,
    /// Number of commits so far.
    commits: u64,
    wanted: Vec<Tid>,
}

impl HolderTotals {
    /// Creates empty totals of a window.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            window,
            threads: ThreadTable::default(),
            room: Room::default(),
            unsynced: Vec::new(),
            caches: Vec::new(),
            ranking: Ranking::default(),
            processes: OtherProcesses::default(),
            commits: 0,
            wanted: Vec::new(),
        }
    }

    /// Begins again with another window. Transactions that go on stay.
    pub(crate) fn begin(&mut self, window: TimeRange) {
        self.window = window;
        self.ranking = Ranking::default();
        self.processes.begin();
        for thread in self.threads.values_mut() {
            thread.ended.clear();
            thread.open.held = Waiters::default();
        }
    }

    /// Forgets transactions that go on, after a gap in the trace.
    pub(crate) fn interrupt(&mut self) {
        for thread in self.threads.values_mut() {
            thread.open = HolderTransaction::default();
        }
        self.unsynced.clear();
        self.caches.clear();
    }

    /// Returns the threads that should be named now, while they do what makes them stand out.
    pub(crate) fn take_wanted(&mut self) -> Vec<Tid> {
        std::mem::take(&mut self.wanted)
    }

    /// Notes the device of a file system with logs.
    pub(crate) fn note_log_device(&mut self, dev: u32) {
        self.processes.note_log_device(dev);
    }

    /// Adds what another process wrote.
    pub(crate) fn push_other_writes(&mut self, writes: OtherWrites) {
        self.processes.add_writes(writes);
    }

    /// Adds a system call on a file. `request_ns` returns the start of the request that its thread serves.
    pub(crate) fn push_io(&mut self, io: &Io, class: FileClass, request_ns: impl FnOnce() -> u64) {
        let bytes = u64::try_from(io.ret).unwrap_or(0);
        match (class, io.op) {
            (FileClass::Temporary, IoOp::Write) if bytes > 0 => self.push_cache_write(io, bytes),
            (FileClass::Binlog, IoOp::Write) if bytes > 0 => self.push_binlog_write(io, bytes, request_ns()),
            (FileClass::Binlog, IoOp::Fsync) => self.push_sync(io.tid),
            _ => {}
        }
    }

    fn push_cache_write(&mut self, io: &Io, bytes: u64) {
        let open = &mut self.thread_mut(io.tid, io.exit_ns).open;
        open.cache_bytes = open.cache_bytes.saturating_add(bytes);
        open.cached_since_ns.get_or_insert(io.enter_ns);
        let bytes = open.cache_bytes;
        if is_named_again(open, bytes) {
            self.want(io.tid);
        }
        if bytes >= LARGE_BYTES && self.caches.len() < MOST_UNSYNCED && !self.caches.contains(&io.tid) {
            self.caches.push(io.tid);
        }
    }

    fn push_binlog_write(&mut self, io: &Io, bytes: u64, request_ns: u64) {
        let open = &mut self.thread_mut(io.tid, io.exit_ns).open;
        if open.request_ns < request_ns {
            // What was written before the request was no transaction's.
            open.written = 0;
            open.request_ns = request_ns;
        }
        open.written = open.written.saturating_add(bytes);
        if open.written >= LARGE_BYTES {
            self.find_cache(io);
        }
        let open = &mut self.thread_mut(io.tid, io.exit_ns).open;
        let (written, holder) = (open.written, open.works_for().unwrap_or(io.tid));
        if is_named_again(open, written) {
            self.want(holder);
        }
        if self.unsynced.len() < MOST_UNSYNCED && !self.unsynced.contains(&io.tid) {
            self.unsynced.push(io.tid);
        }
    }

    /// Finds the large cache that a thread writes to the binlog, where the server states no groups.
    fn find_cache(&mut self, io: &Io) {
        let Some(writer) = self.threads.get(io.tid).map(|thread| &thread.open) else {
            return;
        };
        if writer.group.is_stated() || writer.is_mostly(writer.cache_bytes) {
            return;
        }
        let others = self.caches.iter().filter(|&&tid| tid != io.tid);
        let caches = others.filter_map(|&tid| Some((self.threads.get(tid)?.open.cache_bytes, tid)));
        let found = caches.filter(|&(bytes, _)| writer.is_mostly(bytes)).max();
        if let Some(thread) = self.threads.get_mut(io.tid) {
            thread.open.writes_for = found.map(|(bytes, tid)| (tid, bytes));
        }
        if let Some((_, tid)) = found
            && let Some(thread) = self.threads.get_mut(tid)
        {
            thread.open.led_by = Some((io.tid, io.enter_ns));
        }
    }

    /// Handles a sync of the binlog: whoever waits for it waits for the largest transaction that it makes durable, if that is
    /// most of it.
    fn push_sync(&mut self, tid: Tid) {
        let writers = std::mem::take(&mut self.unsynced);
        let written = |writer: &Tid| {
            let thread = self.threads.get(*writer)?;
            let newest = thread.ended.back().filter(|_| thread.open.written == 0);
            let wrote = newest.unwrap_or(&thread.open);
            Some((wrote.written, wrote.works_for().unwrap_or(*writer)))
        };
        let written: Vec<(u64, Tid)> = writers.iter().filter_map(written).collect();
        let whole = written
            .iter()
            .fold(0_u64, |sum, (bytes, _)| sum.saturating_add(*bytes));
        let most = written.into_iter().max().filter(|(bytes, holder)| {
            *holder != tid && *bytes >= LARGE_BYTES && bytes.saturating_mul(2) >= whole
        });
        if let Some((_, holder)) = most
            && let Some(thread) = self.threads.get_mut(tid)
        {
            thread.open.syncs_for = Some(holder);
        }
    }

    /// Adds a member to the group of its leader.
    pub(crate) fn push_member(&mut self, member: &Member) {
        let cache_bytes = match self.threads.get_mut(member.tid) {
            Some(thread) => {
                let led_by = (member.leader, member.at_ns);
                thread.open.led_by = (member.leader != member.tid).then_some(led_by);
                thread.open.cache_bytes
            }
            None => 0,
        };
        let leader = &mut self.thread_mut(member.leader, member.at_ns).open;
        if leader.group.add(member, cache_bytes) {
            leader.written = 0;
        }
    }

    /// Notes the end of a thread. Its id may be another's from now on.
    pub(crate) fn push_thread_end(&mut self, tid: Tid, at_ns: u64) {
        self.caches.retain(|&cached| cached != tid);
        if let Some(thread) = self.threads.get_mut(tid) {
            thread.open = HolderTransaction::default();
            thread.thread_ended_ns = Some(at_ns);
        }
    }

    /// Adds a commit of the window with its segments, the last one of `stacks`: what it waited for others.
    pub(crate) fn push_waits(&mut self, own: Tid, segments: &[Segment], stacks: &StackIndex) {
        self.commits += 1;
        self.processes.add(self.commits, stacks);
        let is_of_session = |who: Who| matches!(who, Who::Leader | Who::PreviousGroup | Who::Session);
        let works_for = self.threads.get(own).and_then(|thread| thread.open.works_for());
        for run in segments.chunk_by(|one, next| one.tid == next.tid) {
            let (tid, at_ns) = (run[0].tid, run[0].range.start_ns);
            if tid == own {
                if let Some(holder) = works_for.filter(|&holder| holder != own) {
                    self.hold(holder, at_ns, length_ns(run, is_on_binlog));
                }
                continue;
            }
            let end_ns = run.last().map_or(at_ns, |last| last.range.end_ns);
            let is_long = end_ns.saturating_sub(at_ns) >= LONG_NS;
            if is_long && length_ns(run, |cause| cause.wait.is_lock()) >= LONG_NS {
                self.want(tid);
            }
            let ns = length_ns(run, |cause| is_of_session(cause.who));
            if let Some(holder) = self.hold_itself(tid, at_ns, ns).filter(|&holder| holder != own) {
                self.hold(holder, at_ns, ns);
            }
        }
    }

    /// Adds a wait of a commit to the transaction of thread `tid` at `at_ns`, or returns the thread for whose transaction it
    /// worked then.
    fn hold_itself(&mut self, tid: Tid, at_ns: u64, ns: u64) -> Option<Tid> {
        let transaction = self.threads.get_mut(tid)?.at_mut(at_ns)?;
        let other = transaction.works_for();
        if other.is_none() && transaction.held.becomes_long(self.commits, ns) {
            self.want(tid);
        }
        other
    }

    /// Adds a wait of a commit to the transaction of thread `tid` at `at_ns`.
    fn hold(&mut self, tid: Tid, at_ns: u64, ns: u64) {
        let thread = self.threads.get_mut(tid);
        let transaction = thread.and_then(|thread| thread.at_mut(at_ns));
        if transaction.is_some_and(|transaction| transaction.held.becomes_long(self.commits, ns)) {
            self.want(tid);
        }
    }

    /// Ends the transaction of a commit. `request_ns` is the start of the request that commits. `counts` is whether the commit is
    /// one of the window.
    pub(crate) fn end(&mut self, tid: Tid, commit: TimeRange, request_ns: u64, counts: bool) {
        let thread = self.thread_mut(tid, commit.end_ns);
        let next = HolderTransaction {
            since_ns: commit.end_ns,
            ..HolderTransaction::default()
        };
        let mut ended = std::mem::replace(&mut thread.open, next);
        if ended.cache_bytes >= LARGE_BYTES {
            self.caches.retain(|&cached| cached != tid);
        }
        if !counts {
            return;
        }
        let leader = ended.led_by;
        let written = leader.and_then(|(leader, at_ns)| self.threads.get(leader)?.at(at_ns));
        let written = written
            .map(|leader| leader.written)
            .filter(|&written| written > 0);
        ended.size = ended.size_at_end(written);
        let request_ns = Some(request_ns).filter(|&request_ns| request_ns > 0);
        let known = [request_ns, ended.cached_since_ns].into_iter().flatten();
        ended.start_ns = known.fold(commit.start_ns, u64::min);
        ended.commit = commit;
        let thread = self.thread_mut(tid, commit.end_ns);
        thread.ended.push_back(ended);
        if thread.ended.len() > HELD_AFTER
            && let Some(oldest) = thread.ended.pop_front()
        {
            self.rank(tid, &oldest);
        }
    }

    /// Ends the totals and returns the transactions that stand out and the processes that had the CPU, without the names of
    /// connections.
    pub(crate) fn finish(mut self, names: &FrameNames) -> Holders {
        self.list_and_remove(|_| true);
        Holders {
            transactions: self.ranking.finish(),
            processes: self.processes.finish(names),
            ..Holders::default()
        }
    }

    fn rank(&mut self, tid: Tid, ended: &HolderTransaction) {
        self.ranking.add(ended.row(tid, self.window));
    }

    fn want(&mut self, tid: Tid) {
        if self.wanted.len() < MOST_WANTED && !self.wanted.contains(&tid) {
            self.wanted.push(tid);
        }
    }

    fn thread_mut(&mut self, tid: Tid, at_ns: u64) -> &mut ThreadTransactions {
        if self.room.is_full(self.threads.len()) {
            self.forget(at_ns);
        }
        let thread = self.threads.or_default(tid);
        // Another one with the same id.
        thread.thread_ended_ns.take_if(|ended_ns| *ended_ns < at_ns);
        thread
    }

    /// Lists and forgets the transactions of threads that ended, or were silent for long.
    fn forget(&mut self, now_ns: u64) {
        self.list_and_remove(|thread| is_forgettable(now_ns, thread.last_ns(), thread.thread_ended_ns));
        self.room.make(self.threads.len());
    }

    /// Lists the transactions of these threads, in the order of their ids, and removes the threads.
    fn list_and_remove(&mut self, is_one: impl Fn(&ThreadTransactions) -> bool) {
        let mut threads = self.threads.extract(|_, thread| is_one(thread));
        threads.sort_unstable_by_key(|(tid, _)| *tid);
        for (tid, thread) in threads {
            thread.ended.iter().for_each(|one| self.rank(tid, one));
        }
    }
}

/// Returns whether a transaction has grown so much that it should be named again.
fn is_named_again(open: &mut HolderTransaction, bytes: u64) -> bool {
    let from_bytes = open.named_from_bytes.max(LARGE_BYTES);
    let is_due = bytes >= from_bytes;
    if is_due {
        open.named_from_bytes = bytes.saturating_mul(NAMED_AGAIN);
    }
    is_due
}

fn is_on_binlog(cause: Cause) -> bool {
    cause.io.is_some_and(|(class, _)| class == FileClass::Binlog)
}

/// Returns the time of the segments with such causes.
fn length_ns(segments: &[Segment], is_one: impl Fn(Cause) -> bool) -> u64 {
    let found = segments.iter().filter(|segment| is_one(segment.cause));
    found.map(|segment| segment.range.length_ns()).sum()
}

#[cfg(test)]
mod tests;
