//! Records of several rings in the order of their times; pure.

use std::mem;

use logtrace_events::wire;

/// Records that were read and not yet handed on.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    records: Records,
    /// Keeps the memory for the next round.
    spare: Records,
}

#[derive(Debug, Default)]
struct Records {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Where in the bytes a record lies, and when it was made.
#[derive(Clone, Copy, Debug)]
struct Place {
    at_ns: u64,
    start: usize,
    end: usize,
}

impl Batch {
    /// Adds a record.
    pub(crate) fn push(&mut self, record: &[u8]) {
        self.records.push(record, at_ns(record));
    }

    /// Hands on the records made before `until_ns` in the order of their times, and keeps the others.
    pub(crate) fn hand_on(&mut self, until_ns: u64, mut sink: impl FnMut(&[u8])) {
        let Records { bytes, places } = &mut self.records;
        // Each ring is in order but for a few: the sort finds its runs and merges them.
        places.sort_by_key(|place| place.at_ns);
        let due = places.partition_point(|place| place.at_ns < until_ns);
        for place in &places[..due] {
            sink(&bytes[place.start..place.end]);
        }
        for place in &places[due..] {
            self.spare.push(&bytes[place.start..place.end], place.at_ns);
        }
        self.records.clear();
        mem::swap(&mut self.records, &mut self.spare);
    }
}

impl Records {
    fn push(&mut self, record: &[u8], at_ns: u64) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record);
        let end = self.bytes.len();
        self.places.push(Place { at_ns, start, end });
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }
}

/// What is too short to have a time was made before everything: whoever decodes it counts it.
fn at_ns(record: &[u8]) -> u64 {
    record.get(..size_of::<wire::Header>()).map_or(0, |header| {
        bytemuck::pod_read_unaligned::<wire::Header>(header).at_ns
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(at_ns: u64, tid: u32) -> Vec<u8> {
        let header = wire::Header {
            at_ns,
            tid,
            kind: wire::KIND_COMMIT,
        };
        [bytemuck::bytes_of(&header), &[tid as u8; 8]].concat()
    }

    fn handed_on(batch: &mut Batch, until_ns: u64) -> Vec<Vec<u8>> {
        let mut seen = Vec::new();
        batch.hand_on(until_ns, |bytes| seen.push(bytes.to_vec()));
        seen
    }

    #[test]
    fn rings_are_merged_by_time_and_late_records_wait() {
        let mut batch = Batch::default();
        for (at_ns, cpu) in [(10, 1), (30, 1), (50, 1), (20, 2), (40, 2)] {
            batch.push(&record(at_ns, cpu));
        }
        assert_eq!(
            handed_on(&mut batch, 40),
            [record(10, 1), record(20, 2), record(30, 1)]
        );
        batch.push(&record(45, 3));
        assert_eq!(
            handed_on(&mut batch, u64::MAX),
            [record(40, 2), record(45, 3), record(50, 1)]
        );
        assert!(handed_on(&mut batch, u64::MAX).is_empty());
    }

    #[test]
    fn records_of_one_time_stay_in_the_order_in_which_they_were_read() {
        let mut batch = Batch::default();
        batch.push(&record(7, 2));
        batch.push(&record(7, 1));
        assert_eq!(handed_on(&mut batch, 8), [record(7, 2), record(7, 1)]);
    }

    #[test]
    fn what_is_too_short_is_handed_on_too() {
        let mut batch = Batch::default();
        batch.push(&[1, 2, 3]);
        assert_eq!(handed_on(&mut batch, 1), [[1, 2, 3]]);
    }
}
