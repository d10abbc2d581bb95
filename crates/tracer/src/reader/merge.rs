//! Merge of the records of several rings by time; pure.

use std::mem;

use logtrace_events::wire;

/// Records in one batch of memory.
#[derive(Debug, Default)]
pub(crate) struct Records {
    bytes: Vec<u8>,
    places: Vec<RecordPlace>,
}

/// Memory that an empty batch keeps: enough for a round of a busy server. The batch of a reader that was late is larger
/// by far.
const KEPT_BYTES: usize = 1 << 20;

/// Place of a record in the bytes, and its time.
#[derive(Clone, Copy, Debug)]
struct RecordPlace {
    at_ns: u64,
    start: usize,
    end: usize,
}

impl Records {
    /// Puts the records in the order of time.
    pub(crate) fn sort(&mut self) {
        // Each ring is in order but for a few: the sort finds its runs and merges them.
        self.places.sort_by_key(|place| place.at_ns);
    }

    /// Takes out the records made before `until_ns`. The others move to the memory of `spare`, and the records of
    /// `spare` are dropped. The records must be sorted, here and below.
    pub(crate) fn take_due(&mut self, until_ns: u64, mut spare: Self) -> Self {
        spare.clear();
        let due = self.index_at(until_ns);
        for place in self.places.drain(due..) {
            spare.push(&self.bytes[place.start..place.end]);
        }
        mem::replace(self, spare)
    }

    /// Returns the number of records made before `at_ns`.
    pub(crate) fn count_before(&self, at_ns: u64) -> u64 {
        self.index_at(at_ns) as u64
    }

    /// Returns the time of the newest record, 0 if there is none.
    pub(crate) fn newest_ns(&self) -> u64 {
        self.places.last().map_or(0, |place| place.at_ns)
    }

    /// Returns the index of the first record that was not made before `at_ns`.
    fn index_at(&self, at_ns: u64) -> usize {
        self.places.partition_point(|place| place.at_ns < at_ns)
    }

    /// Returns the number of records.
    pub(crate) fn len(&self) -> u64 {
        self.places.len() as u64
    }

    /// Returns the size of their memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.bytes.len() + self.places.len() * size_of::<RecordPlace>()) as u64
    }

    /// Iterates over the records.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.places
            .iter()
            .map(|place| &self.bytes[place.start..place.end])
    }

    /// Drops the records, and the memory above [`KEPT_BYTES`].
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
        self.bytes.shrink_to(KEPT_BYTES);
        self.places.shrink_to(KEPT_BYTES / size_of::<RecordPlace>());
    }

    /// Adds a record at the end.
    pub(crate) fn push(&mut self, record: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record);
        let (at_ns, end) = (at_ns(record), self.bytes.len());
        self.places.push(RecordPlace { at_ns, start, end });
    }
}

/// Returns the time of a record, or 0 if the record is too short to have one: the decoder then counts it.
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

    fn due(batch: &mut Records, until_ns: u64) -> Vec<Vec<u8>> {
        let mut spare = Records::default();
        spare.push(&record(1, 9));
        batch.sort();
        let due = batch.take_due(until_ns, spare);
        due.iter().map(<[u8]>::to_vec).collect()
    }

    #[test]
    fn rings_are_merged_by_time_and_late_records_wait() {
        let mut batch = Records::default();
        for (at_ns, cpu) in [(10, 1), (30, 1), (50, 1), (20, 2), (40, 2)] {
            batch.push(&record(at_ns, cpu));
        }
        assert_eq!(due(&mut batch, 40), [record(10, 1), record(20, 2), record(30, 1)]);
        batch.push(&record(45, 3));
        assert_eq!(
            due(&mut batch, u64::MAX),
            [record(40, 2), record(45, 3), record(50, 1)]
        );
        assert!(due(&mut batch, u64::MAX).is_empty());
    }

    #[test]
    fn records_of_one_time_stay_in_the_order_in_which_they_were_read() {
        let mut batch = Records::default();
        batch.push(&record(7, 2));
        batch.push(&record(7, 1));
        assert_eq!(due(&mut batch, 8), [record(7, 2), record(7, 1)]);
    }

    #[test]
    fn an_empty_batch_keeps_the_memory_of_a_usual_round_alone() {
        let mut batch = Records::default();
        (0..1_000_000).for_each(|at_ns| batch.push(&record(at_ns, 1)));
        batch.clear();
        assert!(batch.bytes.capacity() <= KEPT_BYTES);
        assert!(batch.places.capacity() * size_of::<RecordPlace>() <= KEPT_BYTES);
        (0..1000).for_each(|at_ns| batch.push(&record(at_ns, 1)));
        let before = batch.bytes.capacity();
        batch.clear();
        assert_eq!(batch.bytes.capacity(), before);
    }

    #[test]
    fn what_is_too_short_is_handed_on_too() {
        let mut batch = Records::default();
        batch.push(&[1, 2, 3]);
        assert_eq!(due(&mut batch, 1), [[1, 2, 3]]);
    }
}
