//! Answer of a run in a few sentences: what its commits waited for most, and what the slowest one waited for.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{CauseCube, Exemplar, Exemplars, OverTime, Part, stalls};
use logtrace_attribution::cause::{Cause, Who};
use logtrace_common::{STALL_BUCKET_NS, TimeRange, units};
use strum::IntoEnumIterator;

use crate::document::{Commits, Document, Driver};
use crate::render::sections::waited_for;

/// Duration from which a commit can make a stall: half of the time in which too few commits ended.
const LEAST_STALL_NS: u64 = STALL_BUCKET_NS / 2;

/// Part of the slowest commit from which its second cause is named, too, and of all from which the thread that they waited for
/// is: a quarter.
const LEAST_SHARE: u64 = 4;

/// Returns the answer. Without commits it is about the response times.
pub(crate) fn answer(document: &Document, over_time: Option<&OverTime>) -> String {
    let commits = document.commits.as_ref().filter(|commits| commits.count > 0);
    let driver = document
        .driver
        .as_ref()
        .filter(|driver| driver.response.count > 0);
    let sentences = match (commits, driver) {
        (Some(commits), _) => of_commits(document, commits, over_time),
        (None, Some(driver)) => of_requests(document, driver),
        (None, None) => vec!["No commit and no request ended in the window.".to_owned()],
    };
    sentences.join(" ")
}

fn of_commits(document: &Document, commits: &Commits, over_time: Option<&OverTime>) -> Vec<String> {
    let times = document.causes.iter().map(|row| (row.cause, row.total));
    let usual = largest(times);
    let mean = units::mean_duration(commits.total, commits.count);
    let median = units::duration(commits.distribution.p50);
    let mut sentences = vec![match usual {
        Some((cause, total)) => format!(
            "A commit takes {mean} on average (median {median}); {} of the average ({}) is {}.",
            units::whole_percent(total, commits.total),
            units::mean_duration(total, commits.count),
            explained(cause)
        ),
        None => format!("A commit takes {mean} on average (median {median})."),
    }];
    let usual = usual.map(|(cause, _)| cause);
    sentences.push(slowest(commits, over_time, usual));
    sentences.extend(over_time.and_then(|over_time| other_threads(commits, over_time)));
    let response = document.response.filter(|response| response.total > 0);
    sentences.extend(response.map(|response| {
        let share = units::whole_percent(response.commit, response.total);
        format!("Commits are {share} of the response times.")
    }));
    sentences
}

/// Returns the sentence about the threads that commits waited for, if that was much of their time.
fn other_threads(commits: &Commits, over_time: &OverTime) -> Option<String> {
    let waited_ns = over_time.waited_for.as_ref()?.total_ns();
    (waited_ns >= commits.total / LEAST_SHARE).then(|| waited_for::sentence(commits, over_time))?
}

/// Returns the sentence about the slowest commit. What `usual` means was said before.
fn slowest(commits: &Commits, over_time: Option<&OverTime>, usual: Option<Cause>) -> String {
    let listed = over_time.map(|over_time| &over_time.slowest);
    let listed = listed.and_then(|listed| Some((listed, listed.commits.first()?)));
    let Some((listed, commit)) = listed else {
        return format!("The slowest took {}.", units::duration(commits.distribution.max));
    };
    let ended = format!(
        "The slowest took {} and ended at {}",
        units::duration(commit.ns),
        at(commit.end)
    );
    let stall = stall(commits, commit).zip(over_time);
    let Some((stall, over_time)) = stall else {
        let words = causes(&sums(parts(listed, commit)), usual);
        return format!(
            "{ended}{}.",
            words
                .map(|words| format!("; of that commit {words}"))
                .unwrap_or_default()
        );
    };
    let (from, to) = (at(stall.start_ns), at(stall.end_ns));
    let words = causes(&sums(ended_in(over_time, selected(stall, commit))), usual);
    let words = words.map(|words| format!("; of the time of the commits that it held {words}"));
    let words = words.unwrap_or_default();
    format!("{ended}, in a stall: from {from} to {to} few commits ended{words}.")
}

/// Returns the words for the largest cause, and for the second one if it is large too, with their shares of the sums.
fn causes(sums: &[(Cause, u64)], usual: Option<Cause>) -> Option<String> {
    let whole = units::sum(sums.iter().map(|&(_, ns)| ns));
    let &(cause, ns) = sums.first()?;
    let share = |ns| units::whole_percent(ns, whole);
    let second = sums.get(1).filter(|&&(_, ns)| ns >= whole / LEAST_SHARE);
    let second = second.map(|&(cause, ns)| format!(", and {} {}", share(ns), cause.words()));
    let is_usual = usual.is_some_and(|usual| usual.wait == cause.wait);
    let words = match is_usual || second.is_some() {
        true => cause.words(),
        false => explained(cause),
    };
    Some(format!("{} is {words}{}", share(ns), second.unwrap_or_default()))
}

/// Returns the causes of the commits that ended in these columns, with their times.
fn ended_in(over_time: &OverTime, (from_ns, to_ns): (u64, u64)) -> impl Iterator<Item = (Cause, u64)> {
    let CauseCube {
        column_ns,
        stacks,
        cells,
    } = &over_time.causes;
    let column_of = |ns: u64| ns / column_ns.max(&1);
    let columns = column_of(from_ns)..=column_of(to_ns.saturating_sub(1));
    let cells = cells.iter().filter(move |cell| columns.contains(&cell.column));
    cells.filter_map(|cell| Some((stacks.get(cell.stack)?.cause, cell.ns)))
}

fn parts(listed: &Exemplars, commit: &Exemplar) -> impl Iterator<Item = (Cause, u64)> {
    let parts = commit.parts.iter();
    parts.filter_map(|part| Some((listed.stacks.get(part.2)?.cause, part.0)))
}

/// Returns the time of the stall in which the slowest commit was under way, and of its commits, which end after it; `None` if
/// it was in no stall.
pub(crate) fn stall_of_slowest(document: &Document, over_time: &OverTime) -> Option<(u64, u64)> {
    let commit = over_time.slowest.commits.first()?;
    let stall = stall(document.commits.as_ref()?, commit)?;
    Some(selected(stall, commit))
}

fn selected(stall: TimeRange, commit: &Exemplar) -> (u64, u64) {
    (stall.start_ns, stall.end_ns.max(commit.end) + STALL_BUCKET_NS)
}

/// Returns the stall in which a commit was under way, if there was one.
fn stall(commits: &Commits, commit: &Exemplar) -> Option<TimeRange> {
    let start = commit.end.saturating_sub(commit.ns);
    let starts: Vec<u64> = commits.slow_tenths.iter().map(|tenth| tenth.at).collect();
    let found = stalls(&starts).find(|stall| stall.start_ns < commit.end && start < stall.end_ns);
    found.filter(|_| commit.ns >= LEAST_STALL_NS)
}

/// Returns the largest cause with its time, whoever worked.
pub(crate) fn largest(times: impl Iterator<Item = (Cause, u64)>) -> Option<(Cause, u64)> {
    sums(times).into_iter().next()
}

/// Returns the times of the causes, whoever worked, largest first: a commit and its leader wait for the same device.
fn sums(times: impl Iterator<Item = (Cause, u64)>) -> Vec<(Cause, u64)> {
    let mut sums = BTreeMap::<Cause, u64>::new();
    for (cause, ns) in times {
        let sum = sums
            .entry(Cause {
                who: Who::Own,
                ..cause
            })
            .or_default();
        *sum = sum.saturating_add(ns);
    }
    let mut sums: Vec<_> = sums.into_iter().filter(|&(_, ns)| ns > 0).collect();
    sums.sort_by_key(|&(_, ns)| Reverse(ns));
    sums
}

/// Returns the words for a cause and what it means: the advice without what to try.
fn explained(cause: Cause) -> String {
    let advice = cause.wait.advice();
    let meaning = advice.split_once(';').map_or(advice, |(meaning, _)| meaning);
    format!("{}: {}", cause.words(), within_a_sentence(meaning))
}

/// Returns a sentence that begins with a small letter, unless it begins with a name.
fn within_a_sentence(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_name = first.chars().skip(1).any(char::is_uppercase) || text.starts_with("Group Replication");
    match text.chars().next().filter(|_| !is_name) {
        Some(first) => first.to_lowercase().chain(text.chars().skip(1)).collect(),
        None => text.to_owned(),
    }
}

fn of_requests(document: &Document, driver: &Driver) -> Vec<String> {
    let largest = match document.response.filter(|response| response.requests > 0) {
        Some(of) => {
            let parts = [of.lag, of.client, of.before_commit, of.commit, of.after_commit];
            let names = Part::iter().map(Part::as_str);
            names.zip(parts).max_by_key(|&(_, ns)| ns)
        }
        None => {
            let parts = [
                ("the lag of logtrace", driver.pacer_lag.mean),
                ("the wait for a free connection", driver.connection_wait.mean),
                ("the server and the network", driver.service.mean),
            ];
            parts.into_iter().max_by_key(|&(_, ns)| ns)
        }
    };
    let whole = document.response.filter(|response| response.requests > 0);
    let whole = whole.map_or(driver.response.mean, |response| response.total);
    let mean = units::duration(driver.response.mean);
    let usual = match largest.filter(|&(_, ns)| ns > 0) {
        Some((part, ns)) => {
            let share = units::whole_percent(ns, whole);
            format!("A response takes {mean} on average; {share} of it is {part}.")
        }
        None => format!("A response takes {mean} on average."),
    };
    let slowest = format!("The slowest took {}.", units::duration(driver.response.max));
    let commits = document.commits.as_ref();
    let none = commits.map(|_| "There was no commit in the window.".to_owned());
    none.into_iter().chain([usual, slowest]).collect()
}

/// Formats a time after the start of the window.
fn at(ns: u64) -> String {
    units::seconds(units::real(ns) / 1e9)
}

#[cfg(test)]
mod tests {
    use logtrace_common::FileClass;
    use logtrace_events::IoOp;

    use super::*;
    use crate::document::SlowTenth;
    use logtrace_attribution::breakdown::CubeCell;
    use logtrace_attribution::breakdown::ExemplarPart;
    use logtrace_attribution::breakdown::StackRow;
    use logtrace_attribution::cause::Wait;

    const MS_NS: u64 = 1_000_000;

    fn fsync(who: Who, wait: Wait) -> Cause {
        Cause {
            who,
            io: Some((FileClass::Redo, IoOp::Fsync)),
            wait,
        }
    }

    /// Returns a run whose slowest commit took so long and ended at 9.32 s.
    fn over_time(ns: u64) -> OverTime {
        let causes = [Cause::own(Wait::OnCpu), fsync(Who::Leader, Wait::DeviceFlush)];
        let stacks = causes.map(|cause| StackRow {
            cause,
            frames: Vec::new(),
        });
        let commit = Exemplar {
            end: 9_320 * MS_NS,
            ns,
            tid: 7,
            parts: vec![ExemplarPart(ns / 4, 7, 0), ExemplarPart(ns - ns / 4, 8, 1)],
            ..Exemplar::default()
        };
        OverTime {
            slowest: Exemplars {
                stacks: stacks.clone().into(),
                commits: vec![commit],
                ..Exemplars::default()
            },
            causes: CauseCube {
                column_ns: 100 * MS_NS,
                stacks: stacks.into(),
                cells: vec![
                    cell(89, 1, 1_000),
                    cell(90, 1, 60),
                    cell(93, 0, 25),
                    cell(94, 1, 15),
                    cell(95, 0, 1_000),
                ],
            },
            ..OverTime::default()
        }
    }

    fn cell(column: u64, stack: usize, ns: u64) -> CubeCell {
        CubeCell {
            column,
            band: 0,
            stack,
            ns,
            commits: 1,
        }
    }

    fn commits(slow_tenths: &[u64]) -> Commits {
        let slow_tenths = slow_tenths.iter().map(|at_ms| SlowTenth {
            at: at_ms * MS_NS,
            ..SlowTenth::default()
        });
        Commits {
            slow_tenths: slow_tenths.collect(),
            ..Commits::default()
        }
    }

    #[test]
    fn the_slowest_commit_has_its_time_its_stall_and_its_cause() {
        let over_time = over_time(300 * MS_NS);
        let stalled = commits(&[2_000, 9_000, 9_100, 9_200]);
        let usual = Some(fsync(Who::Own, Wait::DeviceFlush));
        assert_eq!(
            slowest(&stalled, Some(&over_time), usual),
            "The slowest took 300 ms and ended at 9.3 s, in a stall: from 9 s to 9.3 s few commits ended; of \
             the time of the commits that it held 75 % is redo fsync device flush, and 25 % on CPU."
        );
        let text = slowest(&commits(&[2_000]), Some(&over_time), None);
        assert_eq!(
            text,
            "The slowest took 300 ms and ended at 9.3 s; of that commit 75 % is redo fsync device flush, and 25 % on CPU."
        );
        let mut over_time = over_time;
        over_time.slowest.commits[0].parts.remove(0);
        let text = slowest(&commits(&[2_000]), Some(&over_time), None);
        assert_eq!(
            text,
            "The slowest took 300 ms and ended at 9.3 s; of that commit 100 % is redo fsync device flush: the device flushed its \
             write cache."
        );
        let text = slowest(&commits(&[]), None, None);
        assert_eq!(text, "The slowest took 0 ns.");
    }

    #[test]
    fn the_commits_of_a_stall_end_after_it() {
        let over_time = over_time(300 * MS_NS);
        let commit = &over_time.slowest.commits[0];
        let found = stall(&commits(&[2_000, 9_000, 9_100]), commit);
        assert_eq!(found, Some(TimeRange::new(9_000 * MS_NS, 9_200 * MS_NS)));
        assert_eq!(selected(found.unwrap(), commit), (9_000 * MS_NS, 9_420 * MS_NS));
        let found = stall(&commits(&[8_100, 8_600, 9_000, 9_200]), commit);
        assert_eq!(
            found,
            Some(TimeRange::new(8_600 * MS_NS, 9_300 * MS_NS)),
            "0.3 s between"
        );
    }

    #[test]
    fn a_short_commit_is_not_in_a_stall() {
        let commit = &over_time(LEAST_STALL_NS - 1).slowest.commits[0];
        assert_eq!(stall(&commits(&[9_300]), commit), None);
    }

    #[test]
    fn a_cause_counts_once_for_whoever_worked() {
        let times = [
            (fsync(Who::Own, Wait::DeviceFlush), 3),
            (Cause::own(Wait::OnCpu), 5),
            (fsync(Who::Leader, Wait::DeviceFlush), 4),
        ];
        let (cause, ns) = largest(times.into_iter()).unwrap();
        assert_eq!((cause.wait, ns), (Wait::DeviceFlush, 7));
        assert_eq!(largest([(Cause::own(Wait::OnCpu), 0)].into_iter()), None);
    }

    #[test]
    fn each_meaning_fits_into_a_sentence() {
        for wait in Wait::iter() {
            let text = explained(Cause::own(wait));
            assert!(!text.contains(';') && !text.ends_with('.'), "{text}");
        }
        assert!(explained(Cause::own(Wait::OnCpu)).ends_with("code was running"));
        assert_eq!(within_a_sentence("The NFS server"), "the NFS server");
        for name in ["MySQL waited", "InnoDB's log threads", "Group Replication slowed"] {
            assert_eq!(within_a_sentence(name), name);
        }
    }
}
