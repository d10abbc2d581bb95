//! `records.bin`.

use logtrace_attribution::recorded::{RecordedWindow, explain_recording};
use logtrace_common::TimeRange;
use logtrace_events::{Clocks, Entry, RecordingHeader, RecordingReader, RecordingWriter, Request, encoded};
use logtrace_testkit::fuzz::{config, damaged};
use logtrace_testkit::synthetic;
use proptest::collection::vec;
use proptest::prelude::*;

use super::clocks::requests;
use crate::damage::sums_are_exact;

/// Bytes of the records of a server that commits in groups, with and without statements of its own about them.
pub(super) fn sound_records() -> Vec<Vec<u8>> {
    let stated = synthetic::stated_group_commits(4, 3);
    let records = synthetic::group_commits(4, 3).into_iter().chain(stated);
    records.map(|record| encoded(&record)).collect()
}

/// Recording of these records, with a window and a loss.
pub(super) fn recording(records: &[Vec<u8>], window: TimeRange) -> Vec<u8> {
    let header = RecordingHeader {
        server_tgid: synthetic::SERVER_TGID,
        logs: synthetic::logs(),
        ack_receiver: None,
        cluster_receiver: None,
        statements: true,
        clocks: Clocks::default(),
    };
    let mut bytes = Vec::new();
    let mut writer = RecordingWriter::new(&mut bytes, &header).unwrap();
    writer.write(Entry::Window(window)).unwrap();
    // Without bytes there is no record: the reader takes one for a hole of the file.
    for record in records.iter().filter(|record| !record.is_empty()) {
        writer.write(Entry::Record(record)).unwrap();
    }
    writer.write(Entry::Lost(window)).unwrap();
    bytes
}

pub(super) fn windows() -> impl Strategy<Value = TimeRange> {
    let time = || prop_oneof![0u64..10_000_000_000, any::<u64>()];
    (time(), time()).prop_map(|(one, other)| TimeRange::new(one.min(other), one.max(other)))
}

fn explained(bytes: &[u8], window: RecordedWindow, requests: &[Request]) -> Result<(), TestCaseError> {
    let recording = RecordingReader::new(bytes).unwrap();
    let recorded = explain_recording(recording, window, requests).unwrap();
    sums_are_exact(&recorded.breakdown)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn damaged_records_are_explained(
        records in vec(damaged(sound_records()), 0..60),
        window in windows(),
        requests in requests(),
    ) {
        let bytes = recording(&records, window);
        explained(&bytes, RecordedWindow::Measured, &[])?;
        explained(&bytes, RecordedWindow::Of(window), &requests)?;
    }

    #[test]
    fn a_recording_with_damaged_records_among_sound_ones_is_explained(
        damages in vec((any::<prop::sample::Index>(), damaged(sound_records())), 1..8),
        requests in requests(),
    ) {
        let mut records = sound_records();
        for (at, record) in damages {
            let at = at.index(records.len());
            records[at] = record;
        }
        let bytes = recording(&records, TimeRange::new(0, u64::MAX));
        explained(&bytes, RecordedWindow::Measured, &requests)?;
    }
}
