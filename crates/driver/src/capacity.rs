//! Measurement of a server's capacity.

use std::io;
use std::time::Duration;

use anyhow::anyhow;
use logtrace_common::random::Stream;
use tokio_util::sync::CancellationToken;

use crate::config::DriveConfig;
use crate::engine::{DriveOutputs, drive};
use crate::error::DriveError;
use crate::results::EndReason;
use crate::schedule::pace::Pace;
use crate::workloads::dataset::Dataset;

/// Default warm-up of a capacity measurement.
pub const CAPACITY_WARMUP: Duration = Duration::from_secs(1);
/// Default length of each part of the measurement of a lasting capacity.
pub const CAPACITY_PART: Duration = Duration::from_secs(4);

/// A capacity lasts if one part of the measurement reaches at least this share of the part before.
const LASTING_SHARE: f64 = 0.9;
/// Limit on the parts of one measurement.
const MOST_PARTS: usize = 5;

/// Capacity of a server, with the parts of its measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Capacity {
    /// Requests per second of the slower one of the last two parts.
    pub per_s: f64,
    /// Requests per second of each part, in their order.
    pub parts_per_s: Vec<f64>,
    /// Whether the last part reached nine tenths of the part before. Otherwise the rate fell from part to part until the
    /// measurement gave up.
    pub lasts: bool,
}

/// Measures the capacity that lasts: an empty redo log, free memory and a device's cache make the first seconds faster
/// than those after them. Measures part after part of the configured duration until one is about as fast as the part
/// before, at most five. Only the first part is preceded by the warm-up.
///
/// # Errors
///
/// Fails as [`capacity`] does.
pub fn lasting_capacity(config: &DriveConfig, cancel: &CancellationToken) -> Result<Capacity, DriveError> {
    let mut part = config.clone();
    let mut rates: Vec<f64> = Vec::new();
    loop {
        rates.push(capacity(&part, cancel.clone())?);
        if let Some(lasting) = lasting(&rates) {
            return Ok(lasting);
        }
        part.warmup = Duration::ZERO;
        // Other requests than those of the part before.
        part.dataset.seed = Stream::Capacity.base(part.dataset.seed);
    }
}

/// Returns the capacity, or `None` if the parts so far do not show it and more may be measured.
fn lasting(rates: &[f64]) -> Option<Capacity> {
    let [.., before, last] = *rates else {
        return None;
    };
    let lasts = last >= LASTING_SHARE * before;
    (lasts || rates.len() >= MOST_PARTS).then(|| Capacity {
        per_s: last.min(before),
        parts_per_s: rates.to_vec(),
        lasts,
    })
}

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
    let outputs = DriveOutputs {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the capacity by these parts, and whether it lasts.
    fn rate(parts: &[f64]) -> Option<(f64, bool)> {
        let capacity = lasting(parts)?;
        assert_eq!(capacity.parts_per_s, parts);
        Some((capacity.per_s, capacity.lasts))
    }

    #[test]
    fn a_rate_lasts_if_the_next_part_reaches_nine_tenths_of_it() {
        assert_eq!(rate(&[]), None);
        assert_eq!(rate(&[100.0]), None);
        assert_eq!(rate(&[100.0, 89.0]), None);
        assert_eq!(rate(&[100.0, 91.0]), Some((91.0, true)));
        assert_eq!(rate(&[100.0, 120.0]), Some((100.0, true)));
        assert_eq!(rate(&[200.0, 100.0, 95.0]), Some((95.0, true)));
    }

    #[test]
    fn a_rate_that_falls_and_falls_is_the_last_one() {
        assert_eq!(rate(&[100.0, 80.0, 60.0, 40.0]), None);
        assert_eq!(rate(&[100.0, 80.0, 60.0, 40.0, 20.0]), Some((20.0, false)));
        assert_eq!(rate(&[100.0, 80.0, 60.0, 40.0, 38.0]), Some((38.0, true)));
    }
}
