//! The flushes that devices did in the measured window.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use logtrace_events::Flush;

use crate::totals::breakdown::DeviceTotal;
use crate::totals::histogram;

/// Significant digits of the distributions.
const DIGITS: u8 = 2;

/// Sums by device.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    by_dev: BTreeMap<u32, Sum>,
}

#[derive(Debug)]
struct Sum {
    total_ns: u64,
    durations: Histogram<u64>,
}

impl Devices {
    /// Counts a flush.
    pub(crate) fn count(&mut self, flush: Flush) {
        let length_ns = flush.done_ns - flush.issue_ns;
        let sum = self.by_dev.entry(flush.dev).or_insert_with(|| Sum {
            total_ns: 0,
            durations: histogram::empty(DIGITS),
        });
        sum.total_ns += length_ns;
        sum.durations += length_ns;
    }

    /// What was counted, the device that flushed most often first.
    pub(crate) fn into_totals(self) -> Vec<DeviceTotal> {
        let mut totals: Vec<DeviceTotal> = self
            .by_dev
            .into_iter()
            .map(|(dev, sum)| DeviceTotal {
                dev,
                total_ns: sum.total_ns,
                durations: sum.durations,
            })
            .collect();
        totals.sort_by_key(|total| std::cmp::Reverse(total.durations.len()));
        totals
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
            .into_totals()
            .iter()
            .map(|total| (total.dev, total.durations.len(), total.total_ns))
            .collect();
        assert_eq!(rows, [(8, 2, 50), (7, 1, 10)]);
    }
}
