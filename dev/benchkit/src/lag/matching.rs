//! Matching of sends to due times. Pure.
//!
//! Times are nanoseconds of one clock.

use thiserror::Error;

/// A sleep of sysbench's generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sleep {
    /// Start of the sleep.
    pub entry_ns: u64,
    /// Requested length.
    pub length_ns: u64,
}

/// Observations of a run of `sysbench --rate` with one statement per event, each list in the order of time.
#[derive(Clone, Debug, Default)]
pub struct SysbenchObservations {
    /// Sleeps of the generator.
    pub sleeps: Vec<Sleep>,
    /// Times at which the generator queued an event.
    pub queued_ns: Vec<u64>,
    /// Times at which the workers sent a statement.
    pub sends_ns: Vec<u64>,
}

/// Event of sysbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SysbenchEvent {
    /// Due time.
    pub due_ns: u64,
    /// Whether the due time was seen, rather than interpolated.
    pub is_seen: bool,
    /// Time at which it was sent, if it was.
    pub sent_ns: Option<u64>,
}

/// Why what was seen cannot be what happened: some of it was lost, or sysbench does not work as is assumed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// The generator never slept, so no due time is known.
    #[error("the generator never slept: the rate is too high to be held")]
    NoSleep,
    /// A sleep was not followed by an event.
    #[error("the generator slept at {entry_ns} and queued nothing before its next sleep")]
    SleptForNothing {
        /// Start of the sleep.
        entry_ns: u64,
    },
    /// A sleep lasts as long as it was asked to.
    #[error("an event was queued {early_ns} ns before it was due")]
    QueuedEarly {
        /// Time by which it was early.
        early_ns: u64,
    },
    /// A statement belongs to no event.
    #[error("{sends} statements were sent for {events} events")]
    MoreSends {
        /// Statements.
        sends: usize,
        /// Events.
        events: usize,
    },
    /// An event is sent after it was queued.
    #[error("event {number} was sent {early_ns} ns before it was due")]
    SentEarly {
        /// Number, from 0.
        number: usize,
        /// Time by which it was early.
        early_ns: u64,
    },
    /// A request was not sent before its thread took the next one.
    #[error("request {number} was not seen to be sent")]
    NotSent {
        /// Number in the order of sending, from 0.
        number: usize,
    },
}

/// Returns the events that were due from the generator's first sleep on, in the order of their due times.
///
/// sysbench 1.0.20 (`eventgen_thread_proc()` in src/sysbench.c) computes when each event is due, asks `nanosleep` for the
/// difference to now, and queues the event; where that time is over already, it queues without a sleep. So an event
/// after a sleep was due at the sleep's end. Of those that follow it without one only this is known: they were due after it,
/// and before the last of them was queued. They are spread evenly there. Workers take events in their order, so that
/// the k-th send is the k-th event's.
pub fn events(seen: &SysbenchObservations) -> Result<Vec<SysbenchEvent>, Mismatch> {
    let SysbenchObservations {
        sleeps,
        queued_ns,
        sends_ns,
    } = seen;
    let first_ns = sleeps.first().ok_or(Mismatch::NoSleep)?.entry_ns;
    if sends_ns.len() > queued_ns.len() {
        return Err(Mismatch::MoreSends {
            sends: sends_ns.len(),
            events: queued_ns.len(),
        });
    }
    let before = queued_ns.partition_point(|&at| at < first_ns);
    let dues = due_times(sleeps, &queued_ns[before..])?;
    let events = dues.into_iter().enumerate().map(|(number, (due_ns, is_seen))| {
        let sent_ns = sends_ns.get(before + number).copied();
        match sent_ns.map_or(0, |sent| due_ns.saturating_sub(sent)) {
            0 => Ok(SysbenchEvent {
                due_ns,
                is_seen,
                sent_ns,
            }),
            early_ns => Err(Mismatch::SentEarly { number, early_ns }),
        }
    });
    events.collect()
}

/// Returns the due time of each event queued after the first sleep, and whether it was seen.
fn due_times(sleeps: &[Sleep], mut queued_ns: &[u64]) -> Result<Vec<(u64, bool)>, Mismatch> {
    let mut dues = Vec::with_capacity(queued_ns.len());
    for (number, sleep) in sleeps.iter().enumerate() {
        let until_ns = sleeps.get(number + 1).map_or(u64::MAX, |next| next.entry_ns);
        let (these, later) = queued_ns.split_at(queued_ns.partition_point(|&at| at < until_ns));
        queued_ns = later;
        let (Some(&slept_for), Some(last)) = (these.first(), these.last()) else {
            if number + 1 == sleeps.len() {
                break; // The run ended in it.
            }
            return Err(Mismatch::SleptForNothing {
                entry_ns: sleep.entry_ns,
            });
        };
        let due_ns = due_of(*sleep, slept_for)?;
        let gap_ns = (last - due_ns) as f64 / these.len() as f64;
        for (number, &queued) in these.iter().enumerate() {
            let spread_ns = due_ns + (gap_ns * number as f64) as u64;
            dues.push((spread_ns.min(queued), number == 0));
        }
    }
    Ok(dues)
}

fn due_of(sleep: Sleep, queued_ns: u64) -> Result<u64, Mismatch> {
    let due_ns = sleep.entry_ns.saturating_add(sleep.length_ns);
    match due_ns.saturating_sub(queued_ns) {
        0 => Ok(due_ns),
        early_ns => Err(Mismatch::QueuedEarly { early_ns }),
    }
}

/// Returns the send after each note, for a thread that notes the time right before it sends and sends before it notes the
/// next. Both lists are in the order of time; the thread may have sent more before, between and after.
pub fn sends_after(notes_ns: &[u64], sends_ns: &[u64]) -> Result<Vec<u64>, Mismatch> {
    let sent = notes_ns.iter().enumerate().map(|(number, &note)| {
        let until = notes_ns.get(number + 1).copied().unwrap_or(u64::MAX);
        let send = sends_ns.get(sends_ns.partition_point(|&at| at < note));
        let in_time = send.copied().filter(|&at| at <= until);
        in_time.ok_or(Mismatch::NotSent { number })
    });
    sent.collect()
}
