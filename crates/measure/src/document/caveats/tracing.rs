//! Caveats of the tracer and of the causes that it found; pure.

use std::time::Duration;

use logtrace_attribution::breakdown::CauseRow;
use logtrace_common::{Sampling, units};
use logtrace_report::document::{Caveat, CaveatKind, Document};
use logtrace_tracer::RingBytes;

use crate::document::caveats::silent_probes::silent_probes;
use crate::measurement::Traced;

/// Largest share of commit time that may stay unexplained.
const UNEXPLAINED_SHARE: f64 = 0.05;

/// Returns the caveats of the tracer and of the causes that it found.
pub(crate) fn tracing_caveats(traced: Option<&Traced>, document: &Document) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if let Some(traced) = traced {
        caveats.extend(tracer_caveats(traced));
        let times = traced.account.cpu_times;
        caveats.extend(cpu_taken(times.steal_share(), times.interrupt_share()));
        caveats.extend(cut_by_bursts(traced.sampling, document));
    }
    caveats.extend(silent_probes(traced, document));
    caveats.extend(unexplained(document));
    caveats.extend(contradictions(document));
    caveats.extend(file_errors(document));
    caveats
}

/// Caveats of causes that were found again in a recording: those of [`breakdown_caveats`].
pub(crate) const OF_BREAKDOWN: [CaveatKind; 6] = [
    CaveatKind::Contradictions,
    CaveatKind::CutByBursts,
    CaveatKind::FileErrors,
    CaveatKind::InvariantViolations,
    CaveatKind::UndecodableRecords,
    CaveatKind::Unexplained,
];

/// Returns the caveats of causes that were found again in a recording.
pub(crate) fn breakdown_caveats(document: &Document) -> Vec<Caveat> {
    let tracer = document.tracer.as_ref();
    let sampling = document.tracing.as_ref();
    let sampling = sampling.and_then(|tracing| tracing.sample.parse().ok());
    let caveats = [
        tracer.and_then(|tracer| undecodable(tracer.undecodable)),
        tracer.and_then(|tracer| invariant_violations(tracer.invariant_violations)),
        sampling.and_then(|sampling| cut_by_bursts(sampling, document)),
        unexplained(document),
        contradictions(document),
        file_errors(document),
    ];
    caveats.into_iter().flatten().collect()
}

fn undecodable(count: u64) -> Option<Caveat> {
    let text = format!("{count} records could not be decoded");
    (count > 0).then(|| CaveatKind::UndecodableRecords.caveat(text))
}

fn invariant_violations(count: u64) -> Option<Caveat> {
    let text = format!("the causes of {count} commits do not add up to their length");
    (count > 0).then(|| CaveatKind::InvariantViolations.caveat(text))
}

/// Returns the causes that contradict themselves, with their time.
fn contradictions(document: &Document) -> Option<Caveat> {
    let rows = document.causes.iter().filter(|row| row.cause.is_contradiction());
    let named: Vec<String> = rows
        .map(|row| {
            let CauseRow {
                cause,
                total,
                commits,
                ..
            } = row;
            let time = units::duration(*total);
            format!("\"{} {}\" {time} in {commits} commits", cause.words(), cause.who)
        })
        .collect();
    let text = format!(
        "a thread that waits for its client keeps no commit waiting, and yet is charged: {}. What these commits waited for \
         is not known",
        named.join(", ")
    );
    (!named.is_empty()).then(|| CaveatKind::Contradictions.caveat(text))
}

/// Largest share of the CPUs' time that may be taken from all tasks without a caveat.
const TAKEN_SHARE: f64 = 0.05;

/// Returns a caveat if the hypervisor or interrupts took much of the time: the scheduler does not see it, so that threads
/// seem to be on the CPU.
fn cpu_taken(steal: f64, interrupts: f64) -> Option<Caveat> {
    (steal + interrupts > TAKEN_SHARE).then(|| {
        let text = format!(
            "the hypervisor took {:.1} % of the CPUs' time (steal) and interrupts {:.1} %. Where it hit threads of the \
             server, this time is part of their time on the CPU",
            steal * 100.0,
            interrupts * 100.0
        );
        CaveatKind::CpuTaken.caveat(text)
    })
}

/// Returns the system calls on files that failed, by class and operation.
fn file_errors(document: &Document) -> Option<Caveat> {
    let failed = document.files().iter().filter(|row| row.errors > 0);
    let failed: Vec<String> = failed
        .map(|row| format!("{} {} ({})", row.class, row.op, row.errors))
        .collect();
    (!failed.is_empty()).then(|| {
        let text = format!(
            "system calls on files failed: {}. The server's log may say why; a device that fails may look fast",
            failed.join(", ")
        );
        CaveatKind::FileErrors.caveat(text)
    })
}

/// Returns `part` as a share of `whole`, from 0 to 1; 0 if `whole` is 0.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn tracer_caveats(traced: &Traced) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    let lost = traced.account.losses.lost;
    if lost > 0 {
        let text = lost_records(lost, traced.account.events, traced.ring_bytes);
        caveats.push(CaveatKind::LostRecords.caveat(text));
    }
    caveats.extend(undecodable(traced.explained.undecodable));
    caveats.extend(invariant_violations(
        traced.explained.breakdown.invariant_violations,
    ));
    if traced.open_commits > 0 {
        let text = format!(
            "{} commits that began in the window had not ended when the trace did: they are in no sum",
            traced.open_commits
        );
        caveats.push(CaveatKind::CommitsUnderWay.caveat(text));
    }
    for probe in &traced.account.probes {
        if let Some(missing) = &probe.missing {
            let text = format!("the probe {} is not attached: {missing}", probe.name);
            caveats.push(CaveatKind::MissingProbe.caveat(text));
        }
    }
    if let Some(error) = &traced.explained.recording_failed {
        caveats.push(CaveatKind::Recording.caveat(format!("the recording is incomplete: {error}")));
    }
    caveats
}

/// Returns the effect of lost records on the numbers, and the remedy. `rings` is the size of each CPU's ring.
fn lost_records(lost: u64, read: u64, rings: RingBytes) -> String {
    let share = 100.0 * share(lost, lost + read);
    let larger = rings.larger();
    let room = if larger == rings {
        String::new()
    } else {
        format!("use larger buffers (--ring-bytes {larger}; now {rings} for each CPU), ")
    };
    format!(
        "{lost} of {} records were lost ({share:.1} %). The sums are exact for the commits that were recorded, but \
         commits are missing, the time of threads during a loss is unexplained, and requests of that time have no parts. \
         Remedies: {room}trace less (--detail commit), or lower the load",
        lost + read
    )
}

/// Returns a caveat if bursts are too short for the requests: then only the short requests are explained.
fn cut_by_bursts(sampling: Sampling, document: &Document) -> Option<Caveat> {
    let seen = document.seen_hardly()? * 100.0;
    let mean = Duration::from_nanos(document.driver.as_ref()?.response.mean);
    let enough = mean * 10;
    let why = match enough > sampling.burst() {
        true => format!(
            "requests take {:.0} ms on average and a burst lasts {:.0} ms, so the causes are those of short requests. \
             Remedies: longer bursts (--sample {}), or tracing all the time",
            mean.as_secs_f64() * 1e3,
            sampling.burst().as_secs_f64() * 1e3,
            sampling.in_bursts_of(Duration::from_secs(enough.as_secs() + 1)),
        ),
        false => "the tracer recognizes threads of the server that rarely wait for their clients late in a burst, or never. \
                  Remedy: tracing all the time"
            .to_owned(),
    };
    let text = format!("only {seen:.0} % of the requests' time is explained: {why}");
    Some(CaveatKind::CutByBursts.caveat(text))
}

fn unexplained(document: &Document) -> Option<Caveat> {
    let commits = document.commits.as_ref()?;
    let unexplained = share(document.unexplained, commits.total);
    (unexplained > UNEXPLAINED_SHARE).then(|| {
        let text = format!("{:.1} % of the commit time is unexplained", unexplained * 100.0);
        CaveatKind::Unexplained.caveat(text)
    })
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::{Gaps, Response};
    use logtrace_attribution::cause::{Cause, Wait};

    use super::*;
    use crate::samples::traced_run;

    #[test]
    fn lost_records_come_with_a_possible_remedy() {
        let text = |rings: &str| lost_records(300, 100, rings.parse().unwrap());
        let small = text("4K");
        for words in ["300 of 400 records", "75.0 %", "--ring-bytes 4M", "now 4K"] {
            assert!(small.contains(words), "{small}");
        }
        let largest = text("256M");
        assert!(
            !largest.contains("--ring-bytes") && largest.contains("--detail"),
            "{largest}"
        );
    }

    #[test]
    fn the_shares_of_the_hypervisor_and_of_interrupts_count_together() {
        assert_eq!(cpu_taken(0.025, 0.025), None);
        let caveat = cpu_taken(0.025, 0.026).unwrap();
        assert_eq!(caveat.kind, CaveatKind::CpuTaken);
        assert!(
            caveat.text.contains("2.5 %") && caveat.text.contains("2.6 %"),
            "{caveat:?}"
        );
    }

    /// Returns a run in bursts that show a tenth of the time of its requests, which take so long on average.
    fn in_bursts(mean_ms: u64) -> Document {
        let mut document = traced_run();
        let driver = document.driver.as_mut().unwrap();
        (driver.done, driver.response.mean) = (100, mean_ms * 1_000_000);
        document.response = Some(Response {
            requests: 1,
            total: mean_ms * 1_000_000,
            ..Response::default()
        });
        document.tracer.as_mut().unwrap().gaps = Some(Gaps {
            count: 1,
            untraced: 900,
            traced: 100,
        });
        document
    }

    #[test]
    fn longer_bursts_are_the_remedy_only_for_requests_that_are_long_for_a_burst() {
        let text = |mean_ms: u64| {
            let sampling = "10%".parse().unwrap();
            cut_by_bursts(sampling, &in_bursts(mean_ms)).unwrap().text
        };
        for words in [
            "only 10 %",
            "100 ms on average and a burst lasts 200 ms",
            "--sample 10%:2s",
        ] {
            assert!(text(100).contains(words), "{}", text(100));
        }
        assert!(
            text(20).contains("tracing all the time") && !text(20).contains("--sample"),
            "{}",
            text(20)
        );
    }

    #[test]
    fn what_is_explained_again_has_all_caveats_of_its_explanation_and_no_others() {
        let mut document = in_bursts(100);
        document.tracing.as_mut().unwrap().sample = "10%".to_owned();
        document.unexplained = document.commits.as_ref().unwrap().total;
        document.files.as_mut().unwrap()[0].errors = 1;
        document.causes[0].cause = Cause::own(Wait::Client);
        let tracer = document.tracer.as_mut().unwrap();
        (tracer.undecodable, tracer.invariant_violations, tracer.lost) = (1, 1, 1);
        let mut kinds: Vec<String> = breakdown_caveats(&document)
            .iter()
            .map(|caveat| caveat.kind.to_string())
            .collect();
        kinds.sort();
        let mut expected = OF_BREAKDOWN.map(|kind| kind.to_string());
        expected.sort();
        assert_eq!(kinds, expected);
    }

    #[test]
    fn files_with_errors_are_named_by_class_and_operation() {
        let mut document = traced_run();
        for (row, errors) in document.files.as_mut().unwrap().iter_mut().zip([0, 7]) {
            row.errors = errors;
        }
        let row = &document.files()[1];
        let named = format!("failed: {} {} (7).", row.class, row.op);
        let text = file_errors(&document).unwrap().text;
        assert!(text.contains(&named), "{text}");
    }
}
