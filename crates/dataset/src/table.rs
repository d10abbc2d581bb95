//! Tables of a data set, and how much of a run is exported.

use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

/// Table of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DatasetTable {
    /// One row for a run.
    Runs,
    /// Variables of the server, a row each.
    Settings,
    /// Caveats of the run.
    Caveats,
    /// Commit time by cause.
    Causes,
    /// Commit time by column of time and cause.
    Seconds,
    /// Numbers of commits and requests by column of time and duration.
    Histograms,
    /// One row for a commit.
    Commits,
    /// One row for a request.
    Requests,
    /// Parts of the commits, one row for each cause after another.
    Segments,
    /// Frames below the causes of segments.
    Stacks,
}

/// Amount of a run that is exported. Each level has the tables of those before it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum ExportLevel {
    /// Totals: some hundred rows for a run.
    Runs,
    /// Columns of time: some ten thousand rows at most.
    Seconds,
    /// Each commit and each request; of a recording.
    Commits,
    /// Each part of each commit; of a recording.
    Segments,
}

impl DatasetTable {
    /// Returns the lowest level that has the table.
    pub fn level(self) -> ExportLevel {
        match self {
            Self::Runs | Self::Settings | Self::Caveats | Self::Causes => ExportLevel::Runs,
            Self::Seconds | Self::Histograms => ExportLevel::Seconds,
            Self::Commits | Self::Requests => ExportLevel::Commits,
            Self::Segments | Self::Stacks => ExportLevel::Segments,
        }
    }
}
