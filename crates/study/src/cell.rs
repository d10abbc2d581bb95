//! A cell of a study: everything that one measurement needs to know.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use logtrace_common::{FileClass, Flavor, Sampling};
use logtrace_driver::{Arrivals, Dataset, Keys, Pace, Requests};
use logtrace_server::{ImageKind, ImageSize, ServerChoice, Setting};

/// One level of each axis, with all options that follow from them.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its name: that of its levels, in the order of the axes. A name of a directory, and the same at each scale.
    pub key: String,
    /// Axis and level, in the order of the axes.
    pub levels: Vec<(String, String)>,
    /// The server to start: always a private one.
    pub server: ServerChoice,
    /// Which of the two servers it is.
    pub flavor: Flavor,
    /// Global variables; each once.
    pub settings: Vec<Chosen<Setting>>,
    /// Variables of the sessions of the driver's connections; each once.
    pub session: Vec<Chosen<Setting>>,
    /// What requests are.
    pub requests: Requests,
    /// Tables and keys; workloads that are not sysbench's have tables of their own and take nothing but the seed.
    pub tables: Tables,
    /// Connections.
    pub connections: NonZeroUsize,
    /// When requests start.
    pub pace: Pace,
    /// Load before the window.
    pub warmup: Duration,
    /// Length of the window.
    pub duration: Duration,
    /// How often it is measured, at least once.
    pub repeats: u32,
    /// The file system that is made for the server; `None`: where private servers are made.
    pub file_system: Option<FileSystem>,
    /// Classes of files that are kept elsewhere; each class once.
    pub places: Vec<Place>,
    /// Attributes of the queue of the device under the server's files (`/sys/block/DEVICE/queue/NAME`), and their values.
    pub queue: Vec<Chosen<(String, String)>>,
    /// How many times larger the data is than the buffer pool, whose size follows from it; `None`: it is a setting, or
    /// the default.
    pub data_per_pool: Option<f64>,
    /// What data a turn starts with.
    pub data: DataUse,
    /// How much is traced.
    pub detail: Detail,
    /// How much of the time is traced.
    pub sample: Sampling,
    /// Whether the server is asked in which stages its statements spent their time.
    pub stages: bool,
    pub(crate) lines: BTreeMap<String, usize>,
}

/// Something that was chosen, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen<T> {
    /// What.
    pub value: T,
    /// The line of the plan, from 1.
    pub line: usize,
}

/// Tables of sysbench's workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// How many.
    pub tables: u32,
    /// Rows of each.
    pub rows: u32,
    /// Distribution of keys.
    pub keys: Keys,
}

/// A file system to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// Which.
    pub kind: ImageKind,
    /// How large.
    pub size: ImageSize,
    /// Further arguments of its mkfs.
    pub mkfs: Vec<String>,
    /// Options of its mount, separated by commas; may be empty.
    pub mount: String,
}

/// Where a class of files is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What.
    pub class: FileClass,
    /// Where.
    pub at: Where,
    /// The line of the plan, from 1.
    pub line: usize,
}

/// Where files are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// On a file system of their own, made like that of the server.
    Own,
    /// In a directory that exists.
    Directory(PathBuf),
    /// In memory.
    Tmpfs,
    /// Nowhere: what is written is discarded. `/dev/null` where the server takes it, else a file in memory that is
    /// emptied as it grows.
    Nothing,
}

/// What data a turn starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataUse {
    /// What the turn before left.
    #[default]
    Kept,
    /// What was loaded, again.
    Restored,
}

/// How much is traced: the levels of `logtrace run --detail`, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Nothing.
    None,
    /// Commits, and whom they wait for.
    Commit,
    /// Also system calls on files.
    #[default]
    Io,
    /// Also flushes of devices, statements outside of commits, and groups.
    Full,
}

impl Cell {
    /// The tables with a seed of their content, or of arrivals and requests.
    pub fn dataset(&self, seed: u64) -> Dataset {
        Dataset {
            tables: self.tables.tables,
            rows: self.tables.rows,
            keys: self.tables.keys,
            seed,
        }
    }

    /// The level of an axis.
    pub fn level(&self, axis: &str) -> Option<&str> {
        let mut levels = self.levels.iter();
        let (_, level) = levels.find(|(name, _)| name == axis)?;
        Some(level)
    }

    /// The line of the plan in which an option of this cell stands (`connections`, `settings.sync_binlog`,
    /// `place.binlog`, `file_system.kind`); `None` where it has its default.
    pub fn line(&self, option: &str) -> Option<usize> {
        self.lines.get(option).copied()
    }

    /// The value of a variable that the plan sets.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let mut settings = self.settings.iter();
        let chosen = settings.find(|chosen| chosen.value.name() == name)?;
        Some(chosen.value.value())
    }

    /// Requests a second that are offered; `None` in a closed loop.
    pub fn rate_per_s(&self) -> Option<f64> {
        match self.pace {
            Pace::Open { rate_per_s, .. } => Some(rate_per_s),
            _ => None,
        }
    }

    /// How arrivals are spread; `None` in a closed loop.
    pub fn arrivals(&self) -> Option<Arrivals> {
        match self.pace {
            Pace::Open { arrivals, .. } => Some(arrivals),
            _ => None,
        }
    }
}

impl Detail {
    /// All levels, from the cheapest.
    pub const ALL: [Self; 4] = [Self::None, Self::Commit, Self::Io, Self::Full];

    /// Its name; but for `none`, that of the level of `--detail`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Commit => "commit",
            Self::Io => "io",
            Self::Full => "full",
        }
    }
}
