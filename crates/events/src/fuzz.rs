//! Records, recordings and files of requests that were damaged: they are read or refused.

use std::io::Cursor;

use logtrace_common::{LogNames, TimeRange};
use logtrace_testkit::fuzz::{config, damaged};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::decode::tests::records;
use crate::{
    Clocks, Entry, Outcome, RecordingHeader, RecordingReader, RecordingWriter, Request, RequestsOfRun,
    RequestsWriter, decode, encoded,
};

/// Some records of each kind, as bytes.
fn sound_records() -> Vec<Vec<u8>> {
    let mut runner = TestRunner::deterministic();
    let drawn = (0..200).map(|_| records().new_tree(&mut runner).unwrap().current());
    drawn.map(|record| encoded(&record)).collect()
}

fn sound_recording() -> Vec<u8> {
    let header = RecordingHeader {
        server_tgid: 7,
        logs: LogNames {
            binlog: "binlog".into(),
            slow_log: "slow.log".into(),
            general_log: String::new(),
        },
        ack_receiver: Some(9),
        cluster_receiver: Some(8),
        statements: true,
        clocks: Clocks::default(),
    };
    let mut bytes = Vec::new();
    let mut writer = RecordingWriter::new(&mut bytes, &header).unwrap();
    writer.write(Entry::Window(TimeRange::new(3, u64::MAX))).unwrap();
    for record in sound_records().iter().take(20) {
        writer.write(Entry::Record(record)).unwrap();
    }
    writer.write(Entry::Lost(TimeRange::new(1, 2))).unwrap();
    writer.write(Entry::WindowEnd(5)).unwrap();
    bytes
}

fn sound_requests() -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut writer = RequestsWriter::new(&mut file, Clocks::default()).unwrap();
    let outcomes = [
        Outcome::Done,
        Outcome::Disconnected,
        Outcome::TimedOut,
        Outcome::ServerError(1213),
    ];
    for (number, outcome) in (1u64..).zip(outcomes) {
        let request = Request {
            due_ns: number * 100,
            connection_wait_ns: 1,
            sent_ns: number * 100 + 2,
            attempt_ns: number * 100 + 3,
            done_ns: number * 100 + 50,
            outcome,
            retries: 1,
            thread: Some(11),
        };
        writer.write(&request).unwrap();
    }
    writer.finish(TimeRange::new(100, 500)).unwrap();
    file.into_inner()
}

proptest! {
    #![proptest_config(config(5000))]

    #[test]
    fn a_record_decodes_or_is_refused(bytes in damaged(sound_records())) {
        if let Ok(record) = decode(&bytes) {
            let again = encoded(&record);
            prop_assert!(decode(&again).is_ok(), "{record:?}");
        }
    }

    #[test]
    fn a_recording_ends(bytes in damaged(vec![sound_recording()])) {
        if let Ok(mut reader) = RecordingReader::new(&bytes[..]) {
            while let Ok(Some(entry)) = reader.next_entry() {
                if let Entry::Record(record) = entry {
                    let _ = decode(record);
                }
            }
        }
    }

    #[test]
    fn requests_are_read_or_refused(bytes in damaged(vec![sound_requests()])) {
        if let Ok(file) = RequestsOfRun::read(&bytes[..], u64::MAX) {
            for request in &file.requests {
                let parts = [request.lag_ns(), request.service_ns(), request.response_ns()];
                prop_assert!(parts.iter().all(|&part| part <= request.done_ns.max(request.sent_ns)));
            }
        }
    }
}
