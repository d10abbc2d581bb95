//! What threads that others waited for did meanwhile, so that all who wait for the same are not led through it anew.
//!
//! The members of a group wake each other one by one, so that the last of a hundred waited for all the others: the way
//! from each goes back through the same threads at the same time. What a walk finds of one of them is kept: what
//! its time is charged to, and whom it waited for in turn, of whom the same is kept. So a stretch of a thread's
//! timeline is searched once, and not for each commit that waited for it.
//!
//! That is exact: what a nanosecond of a thread's time is charged to depends neither on who asks nor on what else is asked.
//! It holds as long as no record came since that changes an answer (the revision of `Timelines`).

use logtrace_common::TimeRange;
use logtrace_events::Tid;
use rustc_hash::FxHashMap;

use crate::causes::cause::Cause;
use crate::causes::wakeup::Waker;
use crate::timeline::threads::Timelines;

/// Pieces that are kept, some two megabytes of them: then all is forgotten.
const KEPT: usize = 1 << 15;

/// Wake-ups from a commit that are walked: what that finds is seldom of use to another one, which was woken later.
const NEAR: u32 = 2;

/// What is remembered of the threads in one [`Timelines`].
#[derive(Debug)]
pub struct Memory {
    pasts: Vec<Past>,
    /// Index in `pasts`, by thread, and by start of the commit in which it was or else by its end.
    index: FxHashMap<(Tid, (bool, u64)), usize>,
    /// In all pasts.
    pieces: usize,
    /// What is being found out.
    notes: Vec<Piece>,
    found: u64,
    revision: u64,
    near: u32,
}

/// What is known of a thread's time.
#[derive(Debug)]
struct Past {
    /// Of the threads that it woke in one commit the first that was asked for.
    whose: Waker,
    window: TimeRange,
    /// All of the window, in order.
    pieces: Vec<Piece>,
}

/// A piece of a thread's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) window: TimeRange,
    pub(crate) what: What,
}

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// What another thread that waited for it is charged to: cause and kernel stack.
    Charged(Cause, Option<u32>),
    /// It waited for the thread of the past with this index, so many wake-ups away.
    Waited(usize, u32),
}

impl Default for Memory {
    fn default() -> Self {
        Self::beyond(NEAR)
    }
}

impl Memory {
    /// Remembers threads that are more than so many wake-ups from a commit: all with 0, none with [`u32::MAX`].
    pub fn beyond(near: u32) -> Self {
        Self {
            pasts: Vec::new(),
            index: FxHashMap::default(),
            pieces: 0,
            notes: Vec::new(),
            found: 0,
            revision: 0,
            near,
        }
    }

    /// Pieces of threads' time that were found out, whether they are forgotten since or not: the work that was done.
    pub fn found(&self) -> u64 {
        self.found
    }

    /// Wake-ups from a commit that are walked.
    pub(crate) fn near(&self) -> u32 {
        self.near
    }

    /// Forgets what does not hold any more, before a commit is explained from `timelines`.
    pub(crate) fn revise(&mut self, timelines: &Timelines) {
        if self.revision != timelines.revision() || self.pieces >= KEPT {
            self.revision = timelines.revision();
            self.pasts.clear();
            self.index.clear();
            self.pieces = 0;
        }
    }

    /// The past of a thread until it woke another one, known or not. All that it woke in one commit share one.
    pub(crate) fn past_of(&mut self, waker: Waker) -> usize {
        let until = waker
            .commit_ns
            .map_or((false, waker.at_ns), |commit_ns| (true, commit_ns));
        let key = (waker.tid, until);
        *self.index.entry(key).or_insert_with(|| {
            self.pasts.push(Past {
                whose: waker,
                window: TimeRange::new(0, 0),
                pieces: Vec::new(),
            });
            self.pasts.len() - 1
        })
    }

    /// Whose past it is.
    pub(crate) fn whose(&self, past: usize) -> Waker {
        self.pasts[past].whose
    }

    /// What has to be found out next to know all of `window`; `None` once it is known. More is asked for than needed, if no
    /// more than from `wide_from_ns` on, where others asked for less: the next may ask for more again.
    pub(crate) fn unknown(&self, past: usize, window: TimeRange, wide_from_ns: u64) -> Option<TimeRange> {
        let known = self.pasts[past].window;
        if known.is_empty() {
            Some(window)
        } else if window.start_ns < known.start_ns {
            let from_ns = window.start_ns.min(wide_from_ns);
            Some(TimeRange::new(from_ns, known.start_ns))
        } else if known.end_ns < window.end_ns {
            Some(TimeRange::new(known.end_ns, window.end_ns))
        } else {
            None
        }
    }

    /// Adds to what is being found out.
    pub(crate) fn note(&mut self, window: TimeRange, what: What) {
        match self.notes.last_mut() {
            Some(last) if last.what == what => last.window.end_ns = window.end_ns,
            _ => self.notes.push(Piece { window, what }),
        }
    }

    /// Drops what is being found out.
    pub(crate) fn drop_notes(&mut self) {
        self.notes.clear();
    }

    /// Keeps what was found out, all of `window`: [`Memory::unknown`].
    pub(crate) fn keep_notes(&mut self, past: usize, window: TimeRange) {
        self.pieces += self.notes.len();
        self.found += self.notes.len() as u64;
        let past = &mut self.pasts[past];
        if past.window.is_empty() {
            past.window = window;
            past.pieces.append(&mut self.notes);
        } else if window.end_ns == past.window.start_ns {
            past.window.start_ns = window.start_ns;
            let met = join(&mut self.notes, &past.pieces);
            past.pieces.splice(0..met, self.notes.drain(..));
        } else {
            past.window.end_ns = window.end_ns;
            let met = join(&mut past.pieces, &self.notes);
            past.pieces.extend(self.notes.drain(..).skip(met));
        }
    }

    /// Index of the first piece of a past that ends after `at_ns`. It is sought from the newest on, as most are asked for
    /// all that is newer, and what is looked at then is in the cache.
    pub(crate) fn first_piece(&self, past: usize, at_ns: u64) -> usize {
        let mut pieces = self.pasts[past].pieces.iter();
        let before = pieces.rposition(|piece| piece.window.end_ns <= at_ns);
        before.map_or(0, |before| before + 1)
    }

    /// The piece of a past with this index.
    pub(crate) fn piece(&self, past: usize, at: usize) -> Option<Piece> {
        self.pasts[past].pieces.get(at).copied()
    }
}

/// Makes one piece of the last of `before` and the first of `after` where these are one: a wait is one, whoever asked for
/// which part of it. Says how many pieces of `after` became part of `before`.
fn join(before: &mut [Piece], after: &[Piece]) -> usize {
    match (before.last_mut(), after.first()) {
        (Some(last), Some(first)) if last.what == first.what => {
            last.window.end_ns = first.window.end_ns;
            1
        }
        _ => 0,
    }
}
