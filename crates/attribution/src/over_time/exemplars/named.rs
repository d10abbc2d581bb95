//! Exemplars with names instead of numbers.

use logtrace_events::Tid;
use rustc_hash::FxHashMap;

use super::captured::{Captured, Doing, DrawnRecord};
use super::document::{Exemplar, ExemplarPart, ExemplarRecord, ExemplarRecords, Exemplars, Lane};
use crate::causes::Wait;
use crate::charging::Segment;
use crate::over_time::stack_row::StackRow;
use crate::timeline::frames::{FrameNames, Frames};

/// Stacks and words of a list of exemplars.
pub(super) struct Naming<'a> {
    names: &'a FrameNames,
    start_ns: u64,
    places: FxHashMap<(u32, Option<Frames>), usize>,
    stacks: Vec<StackRow>,
    words: Vec<String>,
}

/// Facts that only a typical commit or one of a stall has, as in [`Exemplar`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    shorter: Option<u64>,
    stall: Option<u64>,
}

impl Facts {
    /// Creates the facts of a typical commit.
    pub(super) fn shorter(shorter: u64) -> Self {
        Self {
            shorter: Some(shorter),
            ..Self::default()
        }
    }

    /// Creates the facts of a commit of a stall.
    pub(super) fn stall(at: u64) -> Self {
        Self {
            stall: Some(at),
            ..Self::default()
        }
    }
}

impl<'a> Naming<'a> {
    /// Creates an empty list of a window that began at `start_ns`.
    pub(super) fn new(names: &'a FrameNames, start_ns: u64) -> Self {
        Self {
            names,
            start_ns,
            places: FxHashMap::default(),
            stacks: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Returns a commit as it is reported, with the facts that only its kind has.
    pub(super) fn exemplar(&mut self, of: &Captured, facts: Facts, has_records: bool) -> Exemplar {
        let parts = of.parts.iter().map(|segment| {
            let length_ns = segment.range.length_ns();
            ExemplarPart(length_ns, segment.tid, self.stack(segment))
        });
        let parts: Vec<ExemplarPart> = parts.collect();
        Exemplar {
            segments: (of.segments > parts.len()).then_some(of.segments as u64),
            end: of.commit.end_ns.saturating_sub(self.start_ns),
            ns: of.commit.length_ns(),
            tid: of.tid,
            parts,
            records: has_records.then(|| self.records(of)),
            shorter: facts.shorter,
            stall: facts.stall,
        }
    }

    /// Returns the list.
    pub(super) fn finish(self, commits: Vec<Exemplar>) -> Exemplars {
        Exemplars {
            stacks: self.stacks,
            words: self.words,
            commits,
        }
    }

    fn stack(&mut self, segment: &Segment) -> usize {
        let key = (segment.cause.number(), segment.frames);
        *self.places.entry(key).or_insert_with(|| {
            self.stacks.push(StackRow {
                cause: segment.cause,
                frames: self.names.names(segment.frames),
            });
            self.stacks.len() - 1
        })
    }

    fn records(&mut self, of: &Captured) -> ExemplarRecords {
        let mut lanes: Vec<Lane> = of.threads.iter().map(|&tid| Lane::Thread { tid }).collect();
        let list = of.records.iter().map(|seen| ExemplarRecord {
            start: seen.range.start_ns - of.from_ns,
            ns: seen.range.length_ns(),
            lane: place(&mut lanes, seen.lane()),
            word: place(&mut self.words, seen.doing.words()),
            waker: seen.doing.waker().unwrap_or(0),
        });
        let list = list.collect();
        ExemplarRecords {
            lead: of.commit.start_ns - of.from_ns,
            lanes,
            is_cut: of.is_cut,
            list,
        }
    }
}

/// Returns the place of an entry in a list, at its end if it is new.
fn place<T: PartialEq>(list: &mut Vec<T>, entry: T) -> usize {
    let found = list.iter().position(|other| *other == entry);
    found.unwrap_or_else(|| {
        list.push(entry);
        list.len() - 1
    })
}

impl DrawnRecord {
    fn lane(&self) -> Lane {
        match self.doing {
            Doing::Commit(tid) | Doing::Io(tid, ..) | Doing::Blocked(tid, _) | Doing::RunQueue(tid, _) => {
                Lane::Thread { tid }
            }
            Doing::Flush(dev) => Lane::Device {
                device: format!("{}:{}", dev >> 20, dev & 0xf_ffff),
            },
        }
    }
}

impl Doing {
    fn words(self) -> String {
        match self {
            Self::Commit(_) => "commit".to_owned(),
            Self::Io(_, class, op) => format!("{class} {op}"),
            Self::Blocked(_, None | Some(Wait::Unclassified)) => "blocked".to_owned(),
            Self::Blocked(_, Some(wait)) => wait.to_string(),
            Self::RunQueue(..) => Wait::RunQueue.to_string(),
            Self::Flush(_) => "flush".to_owned(),
        }
    }

    fn waker(self) -> Option<Tid> {
        match self {
            Self::RunQueue(_, waker) => waker,
            _ => None,
        }
    }
}
