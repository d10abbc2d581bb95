//! How much a server can do.

use std::io;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::config::DriveConfig;
use crate::engine::drive::{Outputs, drive};
use crate::error::DriveError;
use crate::results::result::Ended;
use crate::schedule::pace::Pace;
use crate::util::random::Stream;
use crate::workloads::dataset::Dataset;

/// A warm-up that suits a measurement of capacity.
pub const CAPACITY_WARMUP: Duration = Duration::from_secs(1);
/// A window that suits a measurement of capacity.
pub const CAPACITY_DURATION: Duration = Duration::from_secs(3);

/// Requests per second of a closed loop on the configured connections, for the configured warm-up and duration;
/// the pace does not matter. The requests are not those of a drive with the same seed: what they insert is not in its way.
pub fn capacity(config: &DriveConfig, cancel: CancellationToken) -> Result<f64, DriveError> {
    let closed = DriveConfig {
        pace: Pace::Closed,
        dataset: Dataset {
            seed: Stream::Capacity.base(config.dataset.seed),
            ..config.dataset
        },
        ..config.clone()
    };
    let outputs = Outputs {
        log: &mut io::sink(),
        watch: &mut (),
        observer: None,
        cancel,
    };
    let measured = drive(&closed, outputs)?;
    if measured.ended == Ended::Interrupted {
        return Err(DriveError::Cancelled);
    }
    if measured.achieved_per_s > 0.0 {
        Ok(measured.achieved_per_s)
    } else {
        Err(DriveError::NoCapacity(config.duration))
    }
}
