//! Facts that a reader must know before trusting the numbers of a measurement; pure.

use std::time::Duration;

use logtrace_common::Sampling;
use logtrace_report::document::{Caveat, Document};
use logtrace_tracer::{CpuTimes, RingBytes};
use strum::{EnumString, IntoStaticStr};

use crate::measurement::tracing::Traced;

/// Kind of a caveat. Its snake-case name is in the run document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum CaveatKind {
    /// Requests waited for a connection at the end of the window.
    Backlog,
    /// Commits of the window had not ended when the measurement did.
    CommitsUnderWay,
    /// The capacity, of which the rate is a share, fell through all parts of its measurement.
    CapacityFell,
    /// Connections were lost during the window.
    ConnectionsLost,
    /// The hypervisor or interrupts took much of the CPUs' time.
    CpuTaken,
    /// Little of the requests' time fits into the traced bursts.
    CutByBursts,
    /// The disk of the server's data is full.
    DiskFull,
    /// Requests failed.
    Errors,
    /// System calls on files failed.
    FileErrors,
    /// The consistency conditions do not hold after the run.
    Inconsistent,
    /// A signal ended the measurement early.
    Interrupted,
    /// The causes of some commits do not add up.
    InvariantViolations,
    /// The driver sent requests late though connections were free.
    LateGenerator,
    /// The rings or the table of threads were full.
    LostRecords,
    /// An optional probe is not attached.
    MissingProbe,
    /// The trace has no commits.
    NoCommits,
    /// The server's settings or databases could not be restored.
    NotGivenBack,
    /// The server and the driver counted different numbers of orders.
    OrderCount,
    /// The trace of a join misses a part of the run, or many of its requests.
    PartlyJoined,
    /// The recording is incomplete.
    Recording,
    /// The server is on another machine, so that the run is not traced.
    RemoteServer,
    /// The server ended during the measurement.
    ServerDied,
    /// Requests of the warm-up still ran when the window began.
    StallInWarmup,
    /// The consistency conditions were not checked after the run.
    Unchecked,
    /// Records had an unknown layout.
    UndecodableRecords,
    /// Too much commit time has no cause.
    Unexplained,
    /// Requests had no answer when the run ended.
    Unfinished,
    /// The run did not finish.
    UnfinishedRun,
    /// Requests were never sent.
    Unsent,
    /// Names of logs are unknown, so that the logs are in the file class "other".
    UnknownNames,
    /// Requests waited longer for a free connection than for the server.
    WaitingForConnections,
}

impl CaveatKind {
    /// Returns whether scripts must not use a run with such a caveat (exit code 3).
    fn degrades(self) -> bool {
        !matches!(
            self,
            Self::Backlog
                | Self::CapacityFell
                | Self::CpuTaken
                | Self::CutByBursts
                | Self::Interrupted
                | Self::MissingProbe
                | Self::NoCommits
                | Self::RemoteServer
                | Self::StallInWarmup
                | Self::Unchecked
                | Self::Unexplained
                | Self::UnknownNames
                | Self::WaitingForConnections
        )
    }

    /// Returns a caveat of this kind.
    pub(crate) fn caveat(self, text: impl Into<String>) -> Caveat {
        let kind: &str = self.into();
        Caveat {
            kind: kind.to_owned(),
            text: text.into(),
        }
    }
}

/// Returns whether a caveat degrades its run (exit code 3).
pub fn is_degrading(caveat: &Caveat) -> bool {
    caveat.kind.parse::<CaveatKind>().is_ok_and(CaveatKind::degrades)
}

/// Largest share of commit time that may stay unexplained.
const UNEXPLAINED_SHARE: f64 = 0.05;

/// Returns the caveats of the tracer and of the causes that it found.
pub(crate) fn tracing_caveats(traced: Option<&Traced>, document: &Document) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if let Some(traced) = traced {
        caveats.extend(tracer_caveats(traced));
        caveats.extend(cpu_taken(traced.account.cpu_times));
        caveats.extend(cut_by_bursts(traced.sampling, document));
    }
    caveats.extend(unexplained(document));
    caveats.extend(file_errors(document));
    caveats
}

/// Caveats of causes that were found again in a recording: those of [`breakdown_caveats`].
pub(crate) const OF_BREAKDOWN: [CaveatKind; 5] = [
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
        file_errors(document),
    ];
    caveats.into_iter().flatten().collect()
}

/// Returns whether a caveat is of one of these kinds.
pub(crate) fn is_one_of(caveat: &Caveat, kinds: &[CaveatKind]) -> bool {
    let kind = caveat.kind.parse::<CaveatKind>();
    kind.is_ok_and(|kind| kinds.contains(&kind))
}

fn undecodable(count: u64) -> Option<Caveat> {
    let text = format!("{count} records could not be decoded");
    (count > 0).then(|| CaveatKind::UndecodableRecords.caveat(text))
}

fn invariant_violations(count: u64) -> Option<Caveat> {
    let text = format!("the causes of {count} commits do not add up to their length");
    (count > 0).then(|| CaveatKind::InvariantViolations.caveat(text))
}

/// Largest share of the CPUs' time that may be taken from all tasks without a caveat.
const TAKEN_SHARE: f64 = 0.05;

/// Returns a caveat if the hypervisor or interrupts took much of the time: the scheduler does not see it, so that threads
/// seem to be on the CPU.
fn cpu_taken(times: CpuTimes) -> Option<Caveat> {
    let (steal, interrupts) = (times.steal_share(), times.interrupt_share());
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
    use super::*;

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
    fn kinds_have_snake_case_names_and_unknown_ones_do_not_degrade() {
        let died = CaveatKind::ServerDied.caveat("");
        assert_eq!(died.kind, "server_died");
        assert!(is_degrading(&died));
        assert!(is_degrading(&CaveatKind::FileErrors.caveat("")));
        assert!(!is_degrading(&CaveatKind::NoCommits.caveat("")));
        let unknown = Caveat {
            kind: "of_a_later_version".to_owned(),
            ..died
        };
        assert!(!is_degrading(&unknown));
    }
}
