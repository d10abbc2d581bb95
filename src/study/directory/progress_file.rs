//! Progress of a study: `state.json` in its directory.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::study::directory::request::StudyRequest;

/// Request of a study, its failures, and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Request.
    #[serde(rename = "asked")]
    pub(crate) request: StudyRequest,
    /// Failed measurements, with the latest attempt of each.
    pub(crate) failures: Vec<Failure>,
    /// Time by use, over all calls of logtrace for this study.
    pub(crate) account: TimeAccount,
}

/// Failed measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// Name of the cell.
    pub(crate) cell: String,
    /// Number of the repeat, from 1.
    pub(crate) repeat: u32,
    /// Error.
    pub(crate) error: String,
}

/// Time of a study by use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TimeAccount {
    /// Whole time.
    pub(crate) wall: Duration,
    /// Windows.
    pub(crate) measuring: Duration,
    /// Load before windows.
    pub(crate) warming_up: Duration,
    /// Starts and stops of servers, and loading and restoring of data.
    pub(crate) serving: Duration,
    /// Changes of settings, and waits for servers and disks to become idle.
    pub(crate) settling: Duration,
    /// Other parts of measurements: connections, tracer, files.
    pub(crate) around: Duration,
    /// Number of measurements that are done.
    pub(crate) turns: u32,
}

impl Progress {
    /// Creates the progress before the first measurement.
    pub(crate) fn new(request: StudyRequest) -> Self {
        Self {
            request,
            failures: Vec::new(),
            account: TimeAccount::default(),
        }
    }

    /// Records whether the latest attempt of a measurement failed, in place of an earlier attempt.
    pub(crate) fn record(&mut self, cell: &str, repeat: u32, error: Option<String>) {
        let is_other = |failure: &Failure| failure.cell != cell || failure.repeat != repeat;
        self.failures.retain(is_other);
        self.failures.extend(error.map(|error| Failure {
            cell: cell.to_owned(),
            repeat,
            error,
        }));
    }

    /// Returns the error of the latest attempt of a measurement, if it failed.
    pub(crate) fn error(&self, cell: &str, repeat: u32) -> Option<&str> {
        let mut failures = self.failures.iter();
        let failure = failures.find(|failure| failure.cell == cell && failure.repeat == repeat)?;
        Some(&failure.error)
    }
}
