//! What a reader must know before trusting the numbers of any measurement; pure.

use std::time::Duration;

use logtrace_common::Sampling;
use logtrace_report::document::{Caveat, Document};
use logtrace_tracer::RingBytes;

use super::tracing::Traced;

/// A caveat, and whether the run is degraded by it (exit code 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What is told.
    pub(crate) caveat: Caveat,
    /// Whether scripts must not take the run for a good one.
    pub(crate) degrades: bool,
}

/// Share of commit time that may stay unexplained.
const UNEXPLAINED_SHARE: f64 = 0.05;

/// The kinds of what scripts must heed.
const DEGRADING: [&str; 13] = [
    "connections_lost",
    "disk_full",
    "inconsistent",
    "invariant_violations",
    "late_generator",
    "lost_records",
    "not_given_back",
    "order_count",
    "recording",
    "server_died",
    "undecodable_records",
    "unfinished",
    "unfinished_run",
];

/// Whether a caveat of this kind says that scripts must not take the run for a good one.
pub(crate) fn is_degrading(kind: &str) -> bool {
    DEGRADING.contains(&kind)
}

/// Something that scripts must heed.
pub(crate) fn degrading(kind: &str, text: String) -> Finding {
    debug_assert!(is_degrading(kind), "{kind} is not among them");
    Finding {
        caveat: Caveat {
            kind: kind.into(),
            text,
        },
        degrades: true,
    }
}

/// Something that is worth knowing.
pub(crate) fn telling(kind: &str, text: String) -> Finding {
    Finding {
        caveat: Caveat {
            kind: kind.into(),
            text,
        },
        degrades: false,
    }
}

/// What is to be told of the tracer and of what it explained.
pub(crate) fn of_tracing(traced: Option<&Traced>, document: &Document) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(traced) = traced {
        found.extend(of_tracer(traced));
        found.extend(cut_by_bursts(traced.sampling, document));
    }
    found.extend(of_commits(document));
    found
}

/// `part` of `whole`, from 0 to 1; 0 of nothing.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn of_tracer(traced: &Traced) -> Vec<Finding> {
    let mut found = Vec::new();
    let losses = traced.account.losses;
    if losses.lost > 0 {
        let read = traced.account.events;
        found.push(degrading(
            "lost_records",
            lost(losses.lost, read, traced.ring_bytes),
        ));
    }
    if traced.explained.undecodable > 0 {
        let count = traced.explained.undecodable;
        found.push(degrading(
            "undecodable_records",
            format!("{count} records could not be understood"),
        ));
    }
    if traced.explained.breakdown.invariant_violations > 0 {
        let count = traced.explained.breakdown.invariant_violations;
        found.push(degrading(
            "invariant_violations",
            format!("the causes of {count} commits did not add up"),
        ));
    }
    for probe in &traced.account.probes {
        if let Some(missing) = &probe.missing {
            found.push(telling(
                "missing_probe",
                format!("{} is not attached: {missing}", probe.name),
            ));
        }
    }
    if let Some(error) = &traced.explained.recording_failed {
        found.push(degrading(
            "recording",
            format!("the recording is incomplete: {error}"),
        ));
    }
    found
}

/// What losses mean for the numbers, and what to do. `rings` is the room that there was.
fn lost(lost: u64, read: u64, rings: RingBytes) -> String {
    let share = 100.0 * share(lost, lost + read);
    let larger = rings.larger();
    let room = if larger == rings {
        String::new()
    } else {
        format!("give them more room (--ring-bytes {larger}; it was {rings} for each CPU), ")
    };
    format!(
        "{lost} of {} records were lost ({share:.1} %). The sums are exact, of the commits that were seen. Commits \
         are missing, what a thread did while records were lost is unexplained, and requests of that time have no \
         parts. What helps: {room}trace less (--detail commit), load less",
        lost + read
    )
}

/// Requests that are as long as bursts are explained where they happen to be short.
fn cut_by_bursts(sampling: Sampling, document: &Document) -> Option<Finding> {
    let seen = document.seen_hardly()? * 100.0;
    let mean = Duration::from_nanos(document.driver.as_ref()?.response.mean);
    let enough = mean * 10;
    let why = match enough > sampling.burst() {
        true => format!(
            "they take {:.0} ms on average, a burst is {:.0} ms, and what is told is of the short ones. What helps: longer \
             bursts (--sample {}), or everything traced",
            mean.as_secs_f64() * 1e3,
            sampling.burst().as_secs_f64() * 1e3,
            sampling.in_bursts_of(Duration::from_secs(enough.as_secs() + 1)),
        ),
        false => "threads of the server that hardly ever wait for their clients are known late in a burst, or never. What \
                  helps: everything traced"
            .to_owned(),
    };
    let text = format!("only {seen:.0} % of the requests' time is explained: {why}");
    Some(telling("cut_by_bursts", text))
}

fn of_commits(document: &Document) -> Option<Finding> {
    let commits = document.commits.as_ref()?;
    let unexplained = share(document.unexplained, commits.total);
    (unexplained > UNEXPLAINED_SHARE).then(|| {
        telling(
            "unexplained",
            format!("{:.1} % of the commit time is unexplained", unexplained * 100.0),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_told_with_a_remedy_that_can_be_had() {
        let text = |rings: &str| lost(300, 100, rings.parse().unwrap());
        let small = text("4K");
        for words in ["300 of 400 records", "75.0 %", "--ring-bytes 4M", "it was 4K"] {
            assert!(small.contains(words), "{small}");
        }
        let largest = text("256M");
        assert!(
            !largest.contains("--ring-bytes") && largest.contains("--detail"),
            "{largest}"
        );
    }
}
