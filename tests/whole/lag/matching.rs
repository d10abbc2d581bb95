//! Sends of drawn runs of sysbench get the due times that they were drawn with.

use proptest::prelude::*;

use logtrace_benchkit::lag::matching::{
    Mismatch, Sleep, SysbenchEvent, SysbenchObservations, events, sends_after,
};

const fn sleep(entry_ns: u64, length_ns: u64) -> Sleep {
    Sleep { entry_ns, length_ns }
}

/// Sleeps at 0 for 100 and at 1000 for 100, and an event after each.
fn two_events() -> SysbenchObservations {
    SysbenchObservations {
        sleeps: vec![sleep(0, 100), sleep(1000, 100)],
        queued_ns: vec![150, 1150],
        sends_ns: vec![170, 1160],
    }
}

fn due(seen: &SysbenchObservations) -> Vec<u64> {
    events(seen).unwrap().iter().map(|event| event.due_ns).collect()
}

#[test]
fn an_event_is_due_when_the_sleep_before_it_should_end() {
    let expected = [(100, 170), (1100, 1160)].map(|(due_ns, sent_ns)| SysbenchEvent {
        due_ns,
        is_seen: true,
        sent_ns: Some(sent_ns),
    });
    assert_eq!(events(&two_events()), Ok(expected.into()));
}

#[test]
fn events_without_a_sleep_lie_between_the_last_due_time_and_their_being_queued() {
    let seen = SysbenchObservations {
        queued_ns: vec![150, 151, 152, 400, 1150],
        sends_ns: vec![160, 161, 162, 410, 1160],
        ..two_events()
    };
    // Evenly from 100 to 400 would be 175 and 250 for the first two: later than they were queued.
    assert_eq!(due(&seen), [100, 151, 152, 325, 1100]);
    let are_seen = events(&seen).unwrap().into_iter().map(|event| event.is_seen);
    assert_eq!(are_seen.collect::<Vec<_>>(), [true, false, false, false, true]);
}

#[test]
fn events_before_the_first_sleep_take_their_sends_and_are_left_out() {
    let mut seen = two_events();
    seen.sleeps.remove(0);
    assert_eq!(due(&seen), [1100]);
    assert_eq!(events(&seen).unwrap()[0].sent_ns, Some(1160));
}

#[test]
fn what_was_not_sent_in_the_end_was_due_all_the_same() {
    let mut seen = two_events();
    seen.sends_ns.pop();
    assert_eq!(events(&seen).unwrap()[1].sent_ns, None);
    seen.queued_ns.pop();
    assert_eq!(due(&seen), [100], "the last sleep was cut off");
}

#[test]
fn what_cannot_have_happened_is_refused() {
    let changed = |change: fn(&mut SysbenchObservations)| {
        let mut seen = two_events();
        change(&mut seen);
        events(&seen).unwrap_err()
    };
    assert_eq!(changed(|seen| seen.sleeps.clear()), Mismatch::NoSleep);
    assert_eq!(
        changed(|seen| seen.sends_ns.push(2000)),
        Mismatch::MoreSends { sends: 3, events: 2 }
    );
    assert_eq!(
        changed(|seen| seen.sleeps.insert(1, sleep(500, 20))),
        Mismatch::SleptForNothing { entry_ns: 500 }
    );
    assert_eq!(
        changed(|seen| seen.queued_ns[0] = 60),
        Mismatch::QueuedEarly { early_ns: 40 }
    );
    // The first event's send was lost, or there is one from before.
    assert_eq!(
        changed(|seen| seen.sends_ns[1] = 180),
        Mismatch::SentEarly {
            number: 1,
            early_ns: 920
        }
    );
}

#[test]
fn a_request_is_sent_after_its_note_and_before_the_next() {
    assert_eq!(sends_after(&[10, 20], &[5, 12, 15, 20, 31]), Ok(vec![12, 20]));
    assert_eq!(sends_after(&[], &[5]), Ok(vec![]));
    assert_eq!(
        sends_after(&[10, 20], &[12]),
        Err(Mismatch::NotSent { number: 1 })
    );
    assert_eq!(
        sends_after(&[10, 20], &[5, 21]),
        Err(Mismatch::NotSent { number: 0 })
    );
}

/// A run of sysbench: gaps between due times, how late the generator wakes, what queueing takes it, and how late each event
/// is sent.
fn runs() -> impl Strategy<Value = (Vec<u64>, SysbenchObservations)> {
    let event = (0u64..3_000, 0u64..2_000, 1u64..50, 0u64..4_000);
    proptest::collection::vec(event, 1..200).prop_map(|drawn| {
        let (mut seen, mut dues) = (SysbenchObservations::default(), Vec::new());
        let (mut due, mut now) = (1_000, 0);
        for (gap, slack, step, delay) in drawn {
            due += gap;
            if due > now {
                seen.sleeps.push(sleep(now, due - now));
                now = due + slack;
            }
            now += step;
            dues.push(due);
            seen.queued_ns.push(now);
            seen.sends_ns.push(now + delay);
            now += step;
        }
        // Another worker may be faster.
        seen.sends_ns.sort_unstable();
        (dues, seen)
    })
}

proptest! {
    #[test]
    fn due_times_that_are_seen_are_exact_and_the_others_lie_between((dues, seen) in runs()) {
        let events = events(&seen).unwrap();
        prop_assert_eq!(events.len(), dues.len());
        prop_assert_eq!(events.iter().filter(|event| event.is_seen).count(), seen.sleeps.len());
        let mut last_seen = 0;
        for (number, (event, &due)) in events.iter().zip(&dues).enumerate() {
            if event.is_seen {
                prop_assert_eq!(event.due_ns, due);
                last_seen = due;
            }
            let between = last_seen..=seen.queued_ns[number];
            prop_assert!(between.contains(&event.due_ns) && between.contains(&due));
            prop_assert_eq!(event.sent_ns, Some(seen.sends_ns[number]));
        }
        prop_assert!(events.is_sorted_by_key(|event| event.due_ns));
    }

    #[test]
    fn a_cut_leaves_whole_events((dues, seen) in runs(), cut in 0usize..200) {
        let mut cut_off = seen;
        cut_off.sends_ns.truncate(cut);
        let events = events(&cut_off).unwrap();
        prop_assert_eq!(events.len(), dues.len());
        let sent = events.iter().filter(|event| event.sent_ns.is_some()).count();
        prop_assert_eq!(sent, cut.min(dues.len()));
    }
}
