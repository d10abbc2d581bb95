//! Exemplars in `over-time.json`.

use serde::{Deserialize, Serialize};

use crate::over_time::packed::{self, Numbers};
use crate::over_time::stack_row::StackRow;

/// Commits with the work that they waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exemplars {
    /// Causes with the frames below them.
    pub stacks: Vec<StackRow>,
    /// Words of the records.
    #[serde(default)]
    pub words: Vec<String>,
    /// The commits.
    pub commits: Vec<Exemplar>,
}

/// A commit with the work that it waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exemplar {
    /// End, in nanoseconds from the start of the window.
    pub end: u64,
    /// Duration in nanoseconds.
    pub ns: u64,
    /// Thread of the commit.
    pub tid: u32,
    /// Parts of its time, one after another: the critical path. They sum to `ns`.
    pub parts: Vec<ExemplarPart>,
    /// Number of its parts before near ones of the same thread and stack became one; absent where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<u64>,
    /// Number of commits that were shorter, by the rows of the heat map; present for a typical commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shorter: Option<u64>,
    /// Start of the stall in nanoseconds from the start of the window; present for a commit of a stall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall: Option<u64>,
    /// Records of the threads of its parts and of the devices meanwhile; absent where the limit on the size was reached, and in
    /// files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<ExemplarRecords>,
}

/// Part of a commit: nanoseconds, the thread that worked, and the place in `stacks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExemplarPart(pub u64, pub u32, pub usize);

/// Records of threads and devices during a commit and shortly before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExemplarRecords {
    /// Nanoseconds from the first record's time to the start of the commit.
    pub lead: u64,
    /// The threads, that of the commit first, and then the devices.
    pub lanes: Vec<Lane>,
    /// Whether records were left out, because there were too many: those of further threads, those before the commit, and
    /// then the shortest.
    pub is_cut: bool,
    /// The records, in the order of their starts.
    #[serde(with = "packed")]
    pub list: Vec<ExemplarRecord>,
}

/// Thread or device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Lane {
    /// Thread of the server.
    Thread {
        /// Its id.
        tid: u32,
    },
    /// Device.
    Device {
        /// `major:minor`.
        device: String,
    },
}

/// Interval of a thread or a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExemplarRecord {
    /// Start, in nanoseconds from `lead` before the commit.
    pub start: u64,
    /// Duration in nanoseconds.
    pub ns: u64,
    /// Place in `lanes`.
    pub lane: usize,
    /// Place in `words`.
    pub word: usize,
    /// Thread that woke this one at the start; 0 for none.
    pub waker: u32,
}

impl Exemplars {
    /// Returns the threads of the commits and of their parts.
    pub(in crate::over_time) fn thread_ids(&self) -> impl Iterator<Item = u32> {
        self.commits.iter().flat_map(|commit| {
            let parts = commit.parts.iter().map(|part| part.1);
            parts.chain([commit.tid])
        })
    }

    /// Returns a place of a stack that is not listed, if a part has one.
    pub(in crate::over_time) fn unknown_stack(&self) -> Option<usize> {
        let mut parts = self.commits.iter().flat_map(|commit| &commit.parts);
        let unknown = parts.find(|part| part.2 >= self.stacks.len());
        unknown.map(|part| part.2)
    }

    /// Returns whether all lanes and words of the records are listed.
    pub(in crate::over_time) fn has_known_records(&self) -> bool {
        let mut records = self.commits.iter().filter_map(|commit| commit.records.as_ref());
        records.all(|records| {
            let mut list = records.list.iter();
            list.all(|record| record.lane < records.lanes.len() && record.word < self.words.len())
        })
    }
}

impl Numbers<5> for ExemplarRecord {
    fn numbers(&self) -> [u64; 5] {
        [
            self.start,
            self.ns,
            self.lane as u64,
            self.word as u64,
            self.waker.into(),
        ]
    }

    fn of([start, ns, lane, word, waker]: [u64; 5]) -> Option<Self> {
        Some(Self {
            start,
            ns,
            lane: lane.try_into().ok()?,
            word: word.try_into().ok()?,
            waker: waker.try_into().ok()?,
        })
    }
}
