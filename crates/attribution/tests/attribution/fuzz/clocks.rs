//! Clocks of two machines, from requests and records with any times.

use logtrace_attribution::clocks::match_clocks;
use logtrace_attribution::recorded::recorded_visits;
use logtrace_events::{Outcome, RecordingReader, Request};
use logtrace_testkit::fuzz::{config, damaged};
use proptest::collection::vec;
use proptest::prelude::*;

use super::recordings::{recording, sound_records, windows};

/// Requests with times in any order, as a damaged `requests.bin` has them.
pub(super) fn requests() -> impl Strategy<Value = Vec<Request>> {
    let time = || prop_oneof![4 => 0u64..10_000_000_000, 1 => any::<u64>()];
    let times = [(); 5].map(|()| time());
    let outcome = prop_oneof![
        4 => Just(Outcome::Done),
        1 => Just(Outcome::Disconnected),
        1 => any::<u16>().prop_map(Outcome::ServerError),
    ];
    let thread = prop_oneof![4 => 70u32..90, 1 => any::<u32>()];
    let request = (times, outcome, 0u32..3, proptest::option::of(thread));
    let request = request.prop_map(|(times, outcome, retries, thread)| Request {
        due_ns: times[0],
        connection_wait_ns: times[1],
        sent_ns: times[2],
        attempt_ns: times[3],
        done_ns: times[4],
        outcome,
        retries,
        thread,
    });
    vec(request, 0..40)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn clocks_are_matched_or_refused(
        requests in requests(),
        records in vec(damaged(sound_records()), 0..60),
        window in windows(),
        guess_ns in any::<i64>(),
    ) {
        let bytes = recording(&records, window);
        let reader = RecordingReader::new(&bytes[..]).unwrap();
        let (visits, _) = recorded_visits(reader, &requests).unwrap();
        if let Ok(matched) = match_clocks(&requests, &visits, window, guess_ns) {
            prop_assert!(matched.matched <= matched.requests);
            let _ = matched.line.offset_at(window.start_ns);
        }
    }
}
