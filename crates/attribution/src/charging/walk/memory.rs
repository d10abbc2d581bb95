//! Memory of the threads that commits waited for, so that commits that wait for the same thread reuse the result.
//!
//! Members of a group wake each other one by one, so that the last of a hundred waited for all the others, and the path
//! from each goes back through the same threads at the same time. The memory stores the result of a walk through such a
//! thread: the causes of its time, and the threads that it waited for in turn, with pasts of their own. A part of a
//! thread's timeline is thus searched once, and not for each commit that waited for it.
//!
//! The memory is exact: the cause of a nanosecond of a thread's time depends neither on the commit that waits nor on the
//! rest of the range. It holds until a record changes an answer (the revision of `Timelines`). Walks that follow the
//! server's statements about groups are not stored.

use logtrace_common::TimeRange;
use logtrace_events::Tid;
use rustc_hash::FxHashMap;

use crate::causes::Cause;
use crate::causes::wakeup::Waker;
use crate::charging::walk::own_wait::OwnWait;
use crate::timeline::Timelines;
use crate::timeline::frames::Frames;

/// Limit on stored pieces, about two megabytes. At the limit the memory is cleared.
const MAX_PIECES: usize = 1 << 15;

/// Number of wake-ups from a commit that are always walked: another commit, woken later, can seldom use that result.
const NEAR: u32 = 2;

/// Memory of the threads in one [`Timelines`].
#[derive(Debug)]
pub struct Memory {
    pasts: Vec<Past>,
    /// Index in `pasts`, by thread, and by the start of the commit that it was in, or else by the end of the past.
    index: FxHashMap<(Tid, (bool, u64)), usize>,
    /// Number of pieces in all pasts.
    pieces: usize,
    /// Pieces that are being recorded.
    pub(crate) recorded: Vec<ThreadPiece>,
    found: u64,
    revision: u64,
    /// Number of wake-ups from a commit that are always walked.
    pub(crate) near: u32,
}

/// Known part of a thread's time.
#[derive(Debug)]
struct Past {
    /// First of the wake-ups for which this past was used.
    waker: Waker,
    range: TimeRange,
    /// Activities in order; they cover all of the range.
    pieces: Vec<ThreadPiece>,
}

/// Piece of a thread's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadPiece {
    pub(crate) range: TimeRange,
    pub(crate) activity: Activity,
}

/// Activity of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Work or a wait that is charged to threads that waited for this one: the thread that worked or held a lock, the cause,
    /// and the frames below it.
    Charged(Tid, Cause, Option<Frames>),
    /// Wait for the thread of the past with this index, the number of wake-ups to it, and the wait itself, if its function is
    /// known.
    Waited(usize, u32, Option<OwnWait>),
}

impl Default for Memory {
    fn default() -> Self {
        Self::beyond(NEAR)
    }
}

impl Memory {
    /// Creates a memory of threads that are more than `near` wake-ups from a commit: all with 0, none with [`u32::MAX`].
    pub fn beyond(near: u32) -> Self {
        Self {
            pasts: Vec::new(),
            index: FxHashMap::default(),
            pieces: 0,
            recorded: Vec::new(),
            found: 0,
            revision: 0,
            near,
        }
    }

    /// Returns the number of pieces that were stored so far, cleared ones included: a measure of the work.
    pub fn found(&self) -> u64 {
        self.found
    }

    /// Clears pasts that are no longer valid, before a commit is explained from `timelines`.
    pub(crate) fn revise(&mut self, timelines: &Timelines) {
        if self.revision != timelines.revision || self.pieces >= MAX_PIECES {
            self.revision = timelines.revision;
            self.pasts.clear();
            self.index.clear();
            self.pieces = 0;
        }
    }

    /// Returns the index of a thread's past until it woke another thread. All wake-ups in one commit share a past.
    pub(crate) fn past_of(&mut self, waker: Waker) -> usize {
        let until = waker
            .commit_ns
            .map_or((false, waker.at_ns), |commit_ns| (true, commit_ns));
        let key = (waker.tid, until);
        *self.index.entry(key).or_insert_with(|| {
            self.pasts.push(Past {
                waker,
                range: TimeRange::new(0, 0),
                pieces: Vec::new(),
            });
            self.pasts.len() - 1
        })
    }

    /// Returns the thread of a past.
    pub(crate) fn waker(&self, past: usize) -> Waker {
        self.pasts[past].waker
    }

    /// Returns the next missing part of `range`, or `None` if all of it is stored. If a later part is already stored, the
    /// missing part may begin as early as `wide_from_ns`, because the next commit may need even more.
    pub(crate) fn missing(&self, past: usize, range: TimeRange, wide_from_ns: u64) -> Option<TimeRange> {
        let known = self.pasts[past].range;
        if known.is_empty() {
            Some(range)
        } else if range.start_ns < known.start_ns {
            let from_ns = range.start_ns.min(wide_from_ns);
            Some(TimeRange::new(from_ns, known.start_ns))
        } else if known.end_ns < range.end_ns {
            Some(TimeRange::new(known.end_ns, range.end_ns))
        } else {
            None
        }
    }

    /// Records a piece.
    pub(crate) fn record(&mut self, range: TimeRange, activity: Activity) {
        match self.recorded.last_mut() {
            Some(last) if last.activity == activity => last.range.end_ns = range.end_ns,
            _ => self.recorded.push(ThreadPiece { range, activity }),
        }
    }

    /// Stores the recorded pieces, which cover `range` as returned by [`Memory::missing`].
    pub(crate) fn store_recorded(&mut self, past: usize, range: TimeRange) {
        self.pieces += self.recorded.len();
        self.found += self.recorded.len() as u64;
        let past = &mut self.pasts[past];
        if past.range.is_empty() {
            past.range = range;
            past.pieces.append(&mut self.recorded);
        } else if range.end_ns == past.range.start_ns {
            past.range.start_ns = range.start_ns;
            let met = merge(&mut self.recorded, &past.pieces);
            past.pieces.splice(0..met, self.recorded.drain(..));
        } else {
            past.range.end_ns = range.end_ns;
            let met = merge(&mut past.pieces, &self.recorded);
            past.pieces.extend(self.recorded.drain(..).skip(met));
        }
    }

    /// Returns the index of the first piece of a past that ends after `at_ns`. The search begins at the newest piece: most
    /// queries need all that is newer, and the search brings that into the cache.
    pub(crate) fn first_piece(&self, past: usize, at_ns: u64) -> usize {
        let mut pieces = self.pasts[past].pieces.iter();
        let before = pieces.rposition(|piece| piece.range.end_ns <= at_ns);
        before.map_or(0, |before| before + 1)
    }

    /// Returns the piece of a past with this index.
    pub(crate) fn piece(&self, past: usize, at: usize) -> Option<ThreadPiece> {
        self.pasts[past].pieces.get(at).copied()
    }
}

/// Merges the last piece of `before` with the first of `after` if they are one activity. Returns how many pieces of `after`
/// became part of `before`.
fn merge(before: &mut [ThreadPiece], after: &[ThreadPiece]) -> usize {
    match (before.last_mut(), after.first()) {
        (Some(last), Some(first)) if last.activity == first.activity => {
            last.range.end_ns = first.range.end_ns;
            1
        }
        _ => 0,
    }
}
