//! Totals by device: flushes of write caches in the measured window.

use std::collections::BTreeMap;

use logtrace_events::Flush;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::totals::distribution::Distribution;
use crate::totals::histogram::Durations;

/// Significant digits of the distributions.
const DIGITS: u8 = 2;

/// Flushes of one device's write cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceRow {
    /// `major:minor` of the disk.
    pub device: String,
    /// Number of flushes, for all threads and processes.
    pub flushes: u64,
    /// Sum of the durations.
    pub total: u64,
    /// Distribution of the durations.
    pub distribution: Distribution,
}

/// Sums by device.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    by_dev: BTreeMap<u32, Durations>,
}

impl Devices {
    /// Counts a flush.
    pub(crate) fn count(&mut self, flush: Flush) {
        let of_device = self.by_dev.entry(flush.dev);
        let durations = of_device.or_insert_with(|| Durations::new(DIGITS));
        durations.add(flush.done_ns - flush.issue_ns);
    }

    /// Returns the totals, the device with the most flushes first.
    pub(crate) fn into_rows(self) -> Vec<DeviceRow> {
        let rows = self.by_dev.into_iter().map(|(dev, durations)| DeviceRow {
            // include/linux/kdev_t.h
            device: format!("{}:{}", dev >> 20, dev & 0xf_ffff),
            flushes: durations.count(),
            total: durations.total_ns,
            distribution: durations.distribution(),
        });
        let mut rows: Vec<DeviceRow> = rows.collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.flushes));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_are_counted_by_device() {
        let mut devices = Devices::default();
        for (dev, length_ns) in [(7, 10), (8, 20), (8, 30)] {
            devices.count(Flush {
                dev,
                issue_ns: 5,
                done_ns: 5 + length_ns,
            });
        }
        let rows: Vec<_> = devices
            .into_rows()
            .into_iter()
            .map(|row| (row.device, row.flushes, row.total))
            .collect();
        assert_eq!(rows, [("0:8".to_owned(), 2, 50), ("0:7".to_owned(), 1, 10)]);
    }
}
