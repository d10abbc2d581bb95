//! Cell of a study: everything that its measurement needs.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use logtrace_common::{Detail, FileClass, Flavor, Sampling, Variable};
use logtrace_driver::{Arrivals, Dataset, Keys, Pace, Requests};
use logtrace_server::{ImageKind, ImageSize, ServerChoice};

/// Cell: one level of each axis, with the options of these levels.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Name, made of those of the levels. It is a valid name of a directory, and the same at each scale.
    pub key: String,
    /// Axes and levels, in the order of the axes.
    pub levels: Vec<(String, String)>,
    /// Server to start, always a private one.
    pub server: ServerChoice,
    /// Flavor of the server.
    pub flavor: Flavor,
    /// Global variables, each once.
    pub settings: Vec<FromPlan<Variable>>,
    /// Session variables of the driver's connections, each once.
    pub session: Vec<FromPlan<Variable>>,
    /// Requests.
    pub requests: Requests,
    /// Tables and keys of sysbench's workloads. Other workloads have their own tables and use the seed only.
    pub tables: Tables,
    /// Number of connections.
    pub connections: NonZeroUsize,
    /// Pace of the requests.
    pub pace: Pace,
    /// Load before the window.
    pub warmup: Duration,
    /// Length of the window.
    pub duration: Duration,
    /// Number of repeats, at least 1.
    pub repeats: u32,
    /// File system to make for the server, or `None` for the directory of private servers.
    pub file_system: Option<FileSystem>,
    /// Classes of files in other locations, each class once.
    pub places: Vec<Place>,
    /// Attributes of the queue of the disk under the server's files (`/sys/block/DEVICE/queue/NAME`), and their values.
    pub queue: Vec<FromPlan<(String, String)>>,
    /// Size of the data divided by that of the buffer pool, which follows from it. `None` if the pool has the size of a setting
    /// or the default.
    pub data_per_pool: Option<f64>,
    /// Data at the start of a measurement.
    pub data: DataUse,
    /// Level of detail of tracing, or `None` without tracing.
    pub detail: Option<Detail>,
    /// Share of the time that is traced.
    pub sample: Sampling,
    /// Whether the server measures the stages of its statements.
    pub stages: bool,
    pub(crate) lines: BTreeMap<String, usize>,
}

/// Value from the plan, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromPlan<T> {
    /// Value.
    pub value: T,
    /// Line of the plan, from 1.
    pub line: usize,
}

/// Tables of sysbench's workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// Number of tables.
    pub tables: u32,
    /// Rows of each table.
    pub rows: u32,
    /// Distribution of keys.
    pub keys: Keys,
}

/// File system to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// Kind.
    pub kind: ImageKind,
    /// Size.
    pub size: ImageSize,
    /// Further arguments of its mkfs program.
    pub mkfs: Vec<String>,
    /// Mount options, separated by commas; may be empty.
    pub mount: String,
}

/// Location of a class of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Class.
    pub class: FileClass,
    /// Location.
    pub at: Where,
    /// Line of the plan, from 1.
    pub line: usize,
}

/// Location of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// Their own file system, made like that of the server.
    Own,
    /// Existing directory.
    Directory(PathBuf),
    /// File system in memory.
    Tmpfs,
    /// Sink that discards everything: `/dev/null` if the server accepts it, else a file in memory that is emptied as it grows.
    Nothing,
}

/// Data at the start of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataUse {
    /// Data as the measurement before left it.
    #[default]
    Kept,
    /// Data as it was loaded.
    Restored,
}

impl Cell {
    /// Returns the tables with a seed of their content, or of arrivals and requests.
    pub fn dataset(&self, seed: u64) -> Dataset {
        Dataset {
            tables: self.tables.tables,
            rows: self.tables.rows,
            keys: self.tables.keys,
            seed,
        }
    }

    /// Returns the level of an axis.
    pub fn level(&self, axis: &str) -> Option<&str> {
        let mut levels = self.levels.iter();
        let (_, level) = levels.find(|(name, _)| name == axis)?;
        Some(level)
    }

    /// Returns the line of an option (`connections`, `settings.sync_binlog`, `place.binlog`, `file_system.kind`) in the plan, or
    /// `None` if the option has its default.
    pub fn line(&self, option: &str) -> Option<usize> {
        self.lines.get(option).copied()
    }

    /// Returns the value of a variable that the plan sets.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let mut settings = self.settings.iter();
        let chosen = settings.find(|chosen| chosen.value.name() == name)?;
        Some(chosen.value.value())
    }

    /// Returns the offered rate in requests per second, or `None` in a closed loop.
    pub fn rate_per_s(&self) -> Option<f64> {
        match self.pace {
            Pace::Open { rate_per_s, .. } => Some(rate_per_s),
            _ => None,
        }
    }

    /// Returns the distribution of arrivals, or `None` in a closed loop.
    pub fn arrivals(&self) -> Option<Arrivals> {
        match self.pace {
            Pace::Open { arrivals, .. } => Some(arrivals),
            _ => None,
        }
    }
}
