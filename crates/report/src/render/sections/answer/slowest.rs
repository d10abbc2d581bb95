//! Sentence about the slowest commit, and the stall in which it was.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{CauseCube, Exemplar, Exemplars, OverTime, stalls};
use logtrace_attribution::cause::{Cause, Who};
use logtrace_common::{STALL_BUCKET_NS, TimeRange, units};

use crate::document::{Commits, Document};
use crate::render::sections::answer::rotation::is_rotation;
use crate::render::sections::answer::words::{LEAST_SHARE, largest_part, meaning};
use crate::render::sections::tree;

/// Duration from which a commit can make a stall: half of the time in which too few commits ended.
const LEAST_STALL_NS: u64 = STALL_BUCKET_NS / 2;

/// Slowest commit, and what it waited for.
struct SlowestCommit {
    end: u64,
    stall: Option<TimeRange>,
    /// Times of its causes, or of those of the commits that the stall held if there was one.
    times: Vec<(Cause, u64)>,
}

/// Returns the sentence about the slowest commit. What `usual` means was said before.
pub(super) fn sentence(
    document: &Document,
    commits: &Commits,
    over_time: Option<&OverTime>,
    usual: Option<Cause>,
) -> String {
    let took = took(commits);
    let Some(SlowestCommit { end, stall, times }) = found(commits, over_time) else {
        return format!("{took}.");
    };
    let words = causes(document, &times, usual);
    let words = |of: &str| {
        words
            .map(|words| format!("; of {of} {words}"))
            .unwrap_or_default()
    };
    let ended = format!("{took} and ended at {}", at(end));
    match stall {
        Some(stall) => {
            let (from, to) = (at(stall.start_ns), at(stall.end_ns));
            let words = words("the time of the commits that it held");
            format!("{ended}, in a stall: from {from} to {to} few commits ended{words}.")
        }
        None => format!("{ended}{}.", words("that commit")),
    }
}

/// Returns the sentence with the largest cause alone.
pub(super) fn short_sentence(commits: &Commits, over_time: Option<&OverTime>) -> String {
    let took = took(commits);
    let Some(SlowestCommit { end, stall, times }) = found(commits, over_time) else {
        return format!("{took}.");
    };
    let sums = sums(times.iter().copied());
    let whole = units::sum(sums.iter().map(|&(_, ns)| ns));
    let words = match sums.first() {
        Some(&(cause, ns)) if ns >= whole / LEAST_SHARE => {
            let share = units::whole_percent(ns, whole);
            format!("; {share} of that is {}", cause.words())
        }
        _ => {
            let largest = tree::largest(sums.into_iter());
            largest.map_or_else(String::new, |largest| {
                format!("; {}", largest_part(&largest, "of that is"))
            })
        }
    };
    match stall {
        Some(stall) => {
            let (from, to) = (at(stall.start_ns), at(stall.end_ns));
            format!("{took}, in a stall from {from} to {to}{words}.")
        }
        None => format!("{took} and ended at {}{words}.", at(end)),
    }
}

fn took(commits: &Commits) -> String {
    format!("The slowest took {}", units::duration(commits.distribution.max))
}

/// Returns the slowest commit, if its parts were kept.
fn found(commits: &Commits, over_time: Option<&OverTime>) -> Option<SlowestCommit> {
    let over_time = over_time?;
    let commit = kept(commits, &over_time.slowest)?;
    let stall = stall(commits, commit);
    let times = match stall {
        Some(stall) => ended_in(over_time, selected(stall, commit)).collect(),
        None => parts(&over_time.slowest, commit).collect(),
    };
    Some(SlowestCommit {
        end: commit.end,
        stall,
        times,
    })
}

/// Returns the words for the largest cause, and for the second one if it is large too, with their shares of the sums.
fn causes(document: &Document, times: &[(Cause, u64)], usual: Option<Cause>) -> Option<String> {
    let sums = sums(times.iter().copied());
    let whole = units::sum(sums.iter().map(|&(_, ns)| ns));
    let &(cause, ns) = sums.first()?;
    if ns < whole / LEAST_SHARE {
        // Of many small parts the branch says more.
        return tree::largest(sums.into_iter()).map(|largest| largest_part(&largest, "is"));
    }
    let share = |ns| units::whole_percent(ns, whole);
    let second = sums.get(1).filter(|&&(_, ns)| ns >= whole / LEAST_SHARE);
    let second = second.map(|&(cause, ns)| format!(", and {} {}", share(ns), cause.words()));
    let is_usual = usual.is_some_and(|usual| usual.wait == cause.wait);
    let is_explained = is_rotation(document, cause, times) || !(is_usual || second.is_some());
    let meaning = is_explained.then(|| format!(": {}", meaning(document, cause, times)));
    Some(format!(
        "{} is {}{}{}",
        share(ns),
        cause.words(),
        second.unwrap_or_default(),
        meaning.unwrap_or_default()
    ))
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
    let commits = document.commits.as_ref()?;
    let commit = kept(commits, &over_time.slowest)?;
    let stall = stall(commits, commit)?;
    Some(selected(stall, commit))
}

/// Returns the slowest commit, if its parts were kept: older versions left out the commits with the most parts.
fn kept<'a>(commits: &Commits, listed: &'a Exemplars) -> Option<&'a Exemplar> {
    let first = listed.commits.first()?;
    commits.distribution.is_longest(first.ns).then_some(first)
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

/// Formats a time after the start of the window.
fn at(ns: u64) -> String {
    units::seconds(units::real(ns) / 1e9)
}

#[cfg(test)]
mod tests {
    use logtrace_common::FileClass;
    use logtrace_common::Flavor;
    use logtrace_events::IoOp;

    use super::*;
    use crate::document::Server;
    use crate::document::{Distribution, SlowTenth};
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

    fn sentence(commits: &Commits, over_time: Option<&OverTime>, usual: Option<Cause>) -> String {
        let server = Server::sample(Flavor::MySql, &[]);
        let document = Document::new(String::new(), server);
        super::sentence(&document, commits, over_time, usual)
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

    /// Returns commits of which the slowest took 300 ms.
    fn commits(slow_tenths: &[u64]) -> Commits {
        let slow_tenths = slow_tenths.iter().map(|at_ms| SlowTenth {
            at: at_ms * MS_NS,
            ..SlowTenth::default()
        });
        Commits {
            slow_tenths: slow_tenths.collect(),
            distribution: Distribution {
                max: 300 * MS_NS,
                ..Distribution::default()
            },
            ..Commits::default()
        }
    }

    #[test]
    fn the_slowest_commit_has_its_time_its_stall_and_its_cause() {
        let over_time = over_time(300 * MS_NS);
        let stalled = commits(&[2_000, 9_000, 9_100, 9_200]);
        let usual = Some(fsync(Who::Own, Wait::DeviceFlush));
        assert_eq!(
            sentence(&stalled, Some(&over_time), usual),
            "The slowest took 300 ms and ended at 9.3 s, in a stall: from 9 s to 9.3 s few commits ended; of \
             the time of the commits that it held 75 % is redo fsync device flush, and 25 % on CPU."
        );
        assert_eq!(
            short_sentence(&stalled, Some(&over_time)),
            "The slowest took 300 ms, in a stall from 9 s to 9.3 s; 75 % of that is redo fsync device flush."
        );
        let text = sentence(&commits(&[2_000]), Some(&over_time), None);
        assert_eq!(
            text,
            "The slowest took 300 ms and ended at 9.3 s; of that commit 75 % is redo fsync device flush, and 25 % on CPU."
        );
        assert_eq!(
            short_sentence(&commits(&[2_000]), Some(&over_time)),
            "The slowest took 300 ms and ended at 9.3 s; 75 % of that is redo fsync device flush."
        );
        let mut over_time = over_time;
        over_time.slowest.commits[0].parts.remove(0);
        let text = sentence(&commits(&[2_000]), Some(&over_time), None);
        assert_eq!(
            text,
            "The slowest took 300 ms and ended at 9.3 s; of that commit 100 % is redo fsync device flush: the device flushed its \
             write cache."
        );
        let text = sentence(&commits(&[]), None, None);
        assert_eq!(text, "The slowest took 300 ms.");
        assert_eq!(short_sentence(&commits(&[]), None), text);
    }

    #[test]
    fn of_many_small_parts_the_branch_is_named() {
        let mut over_time = over_time(300 * MS_NS);
        let waits = [
            Wait::OnCpu,
            Wait::DeviceFlush,
            Wait::DeviceIo,
            Wait::JournalCommit,
            Wait::RunQueue,
        ];
        let frames = Vec::new();
        let stacks = waits.map(|wait| StackRow {
            cause: match wait {
                Wait::OnCpu => Cause::own(wait),
                wait => fsync(Who::Own, wait),
            },
            frames: frames.clone(),
        });
        over_time.slowest.stacks = stacks.into();
        let parts = (0..5).map(|stack| ExemplarPart(60 * MS_NS + stack, 7, stack as usize));
        over_time.slowest.commits[0].parts = parts.collect();
        let text = sentence(&commits(&[]), Some(&over_time), None);
        assert!(
            text.ends_with("; of that commit 80 % is redo fsync, the largest part of it run queue (20 %)."),
            "{text}"
        );
        let text = short_sentence(&commits(&[]), Some(&over_time));
        assert!(
            text.ends_with("; 80 % of that is redo fsync, the largest part of it run queue (20 %)."),
            "{text}"
        );
    }

    #[test]
    fn a_commit_that_was_kept_is_the_slowest_only_if_none_took_longer() {
        let over_time = over_time(29 * MS_NS);
        let text = sentence(&commits(&[]), Some(&over_time), None);
        assert_eq!(text, "The slowest took 300 ms.");
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
        let found = sums(times.into_iter());
        assert_eq!((found[0].0.wait, found[0].1), (Wait::DeviceFlush, 7));
        assert_eq!(sums([(Cause::own(Wait::OnCpu), 0)].into_iter()), []);
    }
}
