//! Cell of a study: everything that its measurement needs.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use logtrace_common::{Detail, Flavor, Sampling, Variable};
use logtrace_driver::{Dataset, Pace, Requests};
use logtrace_server::{FileLocation, ImageConfig, KernelSetting, Placement, ServerChoice};
use strum::{EnumString, VariantNames};

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
    pub settings: Vec<Variable>,
    /// Session variables of the driver's connections, each once.
    pub session: Vec<Variable>,
    /// Requests.
    pub requests: Requests,
    /// Tables and keys of sysbench's workloads, without a seed. Other workloads have their own tables.
    pub tables: Dataset,
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
    /// Number of repeats with a window: the first ones. The others have short turns only.
    pub windows: u32,
    /// Short turns of each repeat, or `None` if the cell has windows only.
    pub turns: Option<ShortTurns>,
    /// Smallest effect that the study is to show, as a share of the baseline, or `None` if the plan names none.
    pub effect: Option<f64>,
    /// File system to make for the server, or `None` for the directory of private servers.
    pub file_system: Option<ImageConfig>,
    /// Classes of files in other locations, each class once.
    pub places: Vec<Placement>,
    /// Attributes of the queue of the disk under the server's files (`/sys/block/DEVICE/queue/NAME`), and their values.
    pub queue: Vec<KernelSetting>,
    /// Parameters of the kernel (`sysctl`), and their values.
    pub sysctl: Vec<KernelSetting>,
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

/// Short turns of a cell: throughput and times of requests, without a trace, on a server that keeps running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortTurns {
    /// Number in each repeat, at least 1.
    pub count: u32,
    /// Length of a turn.
    pub length: Duration,
    /// Load before a turn.
    pub wash_in: Duration,
}

/// Data at the start of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
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
        Dataset { seed, ..self.tables }
    }

    /// Returns the number of windows. Without short turns each repeat is one.
    pub fn window_count(&self) -> u32 {
        match self.turns {
            Some(_) => self.windows.min(self.repeats),
            None => self.repeats,
        }
    }

    /// Returns the number of short turns of all repeats.
    pub fn turn_count(&self) -> u32 {
        self.turns.map_or(0, |turns| turns.count * self.repeats)
    }

    /// Returns the level of an axis.
    pub fn level(&self, axis: &str) -> Option<&str> {
        let (_, level) = self.levels.iter().find(|(name, _)| name == axis)?;
        Some(level)
    }

    /// Returns whether file systems are mounted for the server.
    pub fn needs_mounts(&self) -> bool {
        let is_tmpfs = |placement: &Placement| matches!(placement.place, FileLocation::Tmpfs(_));
        self.file_system.is_some() || self.places.iter().any(is_tmpfs)
    }

    /// Returns the line of an option (`connections`, `settings.sync_binlog`, `place.binlog`, `file_system.kind`) in the plan, or
    /// `None` if the option has its default.
    pub fn line(&self, option: &str) -> Option<usize> {
        self.lines.get(option).copied()
    }

    /// Returns the value of a variable that the plan sets.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let setting = self.settings.iter().find(|setting| setting.name() == name)?;
        Some(setting.value())
    }
}
