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
    /// `major:minor` of the disk; `others` for all beyond the first 256.
    pub device: String,
    /// Number of flushes, for all threads and processes.
    pub flushes: u64,
    /// Sum of the durations.
    pub total: u64,
    /// Distribution of the durations.
    pub distribution: Distribution,
}

/// Limit on devices with a row of their own. A server's files are on a few, and a distribution takes kilobytes: the numbers of a
/// damaged recording would take gigabytes.
const MOST_DEVICES: usize = 256;

/// Sums by device.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    by_dev: BTreeMap<u32, Durations>,
    /// Those of all devices beyond the limit.
    others: Option<Durations>,
}

impl Devices {
    pub(crate) fn count(&mut self, flush: Flush) {
        let has_room = self.by_dev.len() < MOST_DEVICES || self.by_dev.contains_key(&flush.dev);
        let durations = match has_room {
            true => self
                .by_dev
                .entry(flush.dev)
                .or_insert_with(|| Durations::new(DIGITS)),
            false => self.others.get_or_insert_with(|| Durations::new(DIGITS)),
        };
        durations.add(flush.done_ns - flush.issue_ns);
    }

    /// Returns the totals, the device with the most flushes first.
    pub(crate) fn into_rows(self) -> Vec<DeviceRow> {
        // include/linux/kdev_t.h
        let name = |dev: u32| format!("{}:{}", dev >> 20, dev & 0xf_ffff);
        let named = self
            .by_dev
            .into_iter()
            .map(|(dev, durations)| (name(dev), durations));
        let others = self.others.map(|durations| ("others".to_owned(), durations));
        let rows = named.chain(others).map(|(device, durations)| DeviceRow {
            device,
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
    fn half_a_million_devices_take_the_memory_of_a_few() {
        let mut devices = Devices::default();
        for dev in 0..500_000 {
            let (issue_ns, done_ns) = (5, 6 + u64::from(dev));
            devices.count(Flush {
                dev,
                issue_ns,
                done_ns,
            });
        }
        assert_eq!(devices.by_dev.len(), MOST_DEVICES);
        let rows = devices.into_rows();
        assert_eq!(rows[0].device, "others");
        let flushes: u64 = rows.iter().map(|row| row.flushes).sum();
        let total: u64 = rows.iter().map(|row| row.total).sum();
        assert_eq!((flushes, total), (500_000, 500_000 * 500_001 / 2));
    }

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
