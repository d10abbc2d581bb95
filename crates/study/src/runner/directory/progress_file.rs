//! Progress of a study: `state.json` in its directory.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::runner::directory::request::StudyRequest;

/// Version of the layout of `state.json`.
const SCHEMA: u32 = 1;

/// Request of a study, its failures, and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyProgress {
    /// Version of the layout. Files of logtrace before this field have the same layout.
    #[serde(default = "first_schema")]
    schema: u32,
    /// Request.
    #[serde(rename = "asked")]
    pub(crate) request: StudyRequest,
    /// Failed measurements, with the latest attempt of each.
    pub(crate) failures: Vec<Failure>,
    /// Time by use, over all calls of logtrace for this study.
    pub(crate) account: TimeAccount,
}

/// Error for a `state.json` of another version of logtrace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it has schema {0}, and this logtrace reads and writes schema {SCHEMA}: use the logtrace that wrote it"
)]
pub(crate) struct OtherSchema(u32);

fn first_schema() -> u32 {
    SCHEMA
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

impl StudyProgress {
    /// Creates the progress before the first measurement.
    pub fn new(request: StudyRequest) -> Self {
        Self {
            schema: SCHEMA,
            request,
            failures: Vec::new(),
            account: TimeAccount::default(),
        }
    }

    /// Reads `state.json`; `None` if it is torn, which a power cut can leave.
    pub(crate) fn parse(text: &[u8]) -> Result<Option<Self>, OtherSchema> {
        #[derive(Deserialize)]
        struct Layout {
            #[serde(default = "first_schema")]
            schema: u32,
        }
        match serde_json::from_slice::<Layout>(text) {
            Ok(Layout { schema }) if schema != SCHEMA => Err(OtherSchema(schema)),
            _ => Ok(serde_json::from_slice(text).ok()),
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
