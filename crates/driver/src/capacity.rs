//! Measurement of a server's capacity.

use std::io;
use std::time::Duration;

use anyhow::anyhow;
use tokio_util::sync::CancellationToken;

use crate::config::DriveConfig;
use crate::engine::drive::{Outputs, drive};
use crate::error::DriveError;
use crate::results::result::EndReason;
use crate::schedule::pace::Pace;
use crate::util::random::Stream;
use crate::workloads::dataset::Dataset;

/// Default warm-up of a capacity measurement.
pub const CAPACITY_WARMUP: Duration = Duration::from_secs(1);
/// Default window of a capacity measurement.
pub const CAPACITY_DURATION: Duration = Duration::from_secs(3);

/// Measures the requests per second of a closed loop with the configured connections, warm-up and duration. The pace
/// of `config` is ignored. The requests differ from those of a drive with the same seed, so that inserted rows do not
/// collide.
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
    if measured.ended == EndReason::Interrupted {
        return Err(DriveError::Cancelled);
    }
    if measured.achieved_per_s == 0.0 {
        let nothing = anyhow!(
            "the server completed no request in {:?}, so a rate in percent of its capacity has no meaning",
            config.duration
        );
        return Err(nothing.into());
    }
    Ok(measured.achieved_per_s)
}
