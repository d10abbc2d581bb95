//! Commits that stand for others, with the records that they were explained by.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::{Exemplar, ExemplarRecord, Exemplars, Lane, OverTime, Sums};
use logtrace_attribution::cause::Wait;
use logtrace_common::{TimeRange, latency_row};
use logtrace_events::{Commit, CpuWait, OffCpu, Record, Wake};
use logtrace_testkit::synthetic::{SERVER_TGID, group_commits, logs};

/// The sample's time begins here.
const START_NS: u64 = 1_000_000_000;
const TENTH_NS: u64 = 100_000_000;

/// Time at which nothing happens for a while.
const STALL_NS: u64 = START_NS + 15 * TENTH_NS + TENTH_NS / 2;
const STALL_LENGTH_NS: u64 = 4 * TENTH_NS;

/// A few seconds of group commits with a stall in them.
static RECORDS: LazyLock<Vec<Record>> = LazyLock::new(|| {
    let records = group_commits(8, 2_000);
    records.into_iter().map(stalled).collect()
});

static FOUND: LazyLock<OverTime> = LazyLock::new(|| {
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: SERVER_TGID,
        logs: logs(),
        window: TimeRange::new(START_NS, u64::MAX),
    });
    RECORDS.iter().cloned().for_each(|record| analysis.push(record));
    analysis.finish().over_time
});

/// Moves all times after the stall's begin to its end.
fn stalled(mut record: Record) -> Record {
    let mut times: Vec<&mut u64> = match &mut record {
        Record::OffCpu(off) => {
            let mut times = vec![&mut off.out_ns, &mut off.in_ns];
            if let Wake::By { at_ns, commit_ns, .. } = &mut off.wake {
                times.push(at_ns);
                times.extend(commit_ns);
            }
            times
        }
        Record::Io(io) => vec![&mut io.enter_ns, &mut io.exit_ns],
        Record::Commit(commit) => vec![&mut commit.start_ns, &mut commit.end_ns],
        _ => Vec::new(),
    };
    for time in &mut times {
        if **time > STALL_NS {
            **time += STALL_LENGTH_NS;
        }
    }
    record
}

/// Commits of the sample: end, duration and thread.
fn commits() -> impl Iterator<Item = (u64, u64, u32)> {
    RECORDS.iter().filter_map(|record| match record {
        Record::Commit(commit) => Some((
            commit.end_ns - START_NS,
            commit.end_ns - commit.start_ns,
            commit.tid,
        )),
        _ => None,
    })
}

fn all() -> impl Iterator<Item = (&'static Exemplars, &'static Exemplar)> {
    let lists = [&FOUND.slowest, &FOUND.typical, &FOUND.stalls];
    lists
        .into_iter()
        .flat_map(|list| list.commits.iter().map(move |commit| (list, commit)))
}

#[test]
fn each_is_a_commit_of_the_run_and_its_parts_sum_to_it() {
    let known: Vec<_> = commits().collect();
    for (_, commit) in all() {
        assert!(known.contains(&(commit.end, commit.ns, commit.tid)), "{commit:?}");
        let parts = commit.parts.iter().map(|part| part.0);
        assert_eq!(parts.sum::<u64>(), commit.ns);
    }
}

#[test]
fn the_slowest_commit_is_kept_however_many_parts_it_has() {
    const TID: u32 = 900;
    let commit = Commit {
        tid: TID,
        start_ns: START_NS + 5_000_000_000,
        end_ns: START_NS + 5_300_000_000,
    };
    let preempted = (0..3_000).map(|n| {
        Record::OffCpu(OffCpu {
            tid: TID,
            out_ns: commit.start_ns + n * 100_000 + 40_000,
            in_ns: commit.start_ns + (n + 1) * 100_000,
            wake: Wake::Preempted,
            syscall: None,
            stack: None,
            cpu_wait: CpuWait::Server,
        })
    });
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: SERVER_TGID,
        logs: logs(),
        window: TimeRange::new(START_NS, u64::MAX),
    });
    let others = group_commits(8, 100);
    let records = others
        .into_iter()
        .chain(preempted)
        .chain([Record::Commit(commit)]);
    records.for_each(|record| analysis.push(record));
    let found = analysis.finish().over_time;
    for list in [&found.slowest, &found.typical] {
        let mut commits = list.commits.iter();
        let kept = commits.find(|commit| commit.tid == TID).unwrap();
        assert_eq!((kept.ns, kept.segments), (300_000_000, Some(6_000)));
        assert!(kept.parts.len() <= 1_000, "{}", kept.parts.len());
        let time = |wait| {
            let parts = kept.parts.iter();
            let of_wait = parts.filter(|part| list.stacks[part.2].cause.wait == wait);
            of_wait.map(|part| part.0).sum::<u64>()
        };
        assert_eq!(
            (time(Wait::OnCpu), time(Wait::RunQueue)),
            (3_000 * 40_000, 3_000 * 60_000)
        );
    }
    assert_eq!(found.slowest.commits[0].tid, TID);
}

/// Returns the intervals of the records on the same thread and with the same word, in nanoseconds from the window's start.
fn expected(of: &Exemplar, lane: &Lane, word: &str) -> Vec<(u64, u64)> {
    let Lane::Thread { tid } = *lane else {
        panic!("the sample has no flushes");
    };
    let whole = TimeRange::new(START_NS + of.end - of.ns - lead(of), START_NS + of.end);
    let own = RECORDS.iter().filter_map(|record| match record {
        Record::Io(io) if io.tid == tid && word == format!("redo {}", io.op) && io.file.ino == 1 => {
            Some(TimeRange::new(io.enter_ns, io.exit_ns))
        }
        Record::Commit(commit) if commit.tid == tid && word == "commit" => {
            Some(TimeRange::new(commit.start_ns, commit.end_ns))
        }
        _ => None,
    });
    let inside = own.map(|range| range.intersection(whole));
    let inside = inside.filter(|range| !range.is_empty());
    inside
        .map(|range| (range.start_ns - START_NS, range.length_ns()))
        .collect()
}

/// Time before the commit of which all records are there.
fn lead(of: &Exemplar) -> u64 {
    let records = of.records.as_ref().unwrap();
    if records.is_cut { 0 } else { records.lead }
}

#[test]
fn each_has_all_records_of_its_threads_from_shortly_before_it() {
    let mut compared = 0;
    for (list, commit) in all() {
        let records = commit.records.as_ref().unwrap();
        assert_eq!(
            (records.lead, &records.lanes[0]),
            (commit.ns / 5, &Lane::Thread { tid: commit.tid })
        );
        for part in &commit.parts {
            assert!(records.lanes.contains(&Lane::Thread { tid: part.1 }));
        }
        let from = commit.end - commit.ns - records.lead;
        let mut seen = BTreeMap::<(usize, usize), Vec<(u64, u64)>>::new();
        for &ExemplarRecord {
            start,
            ns,
            lane,
            word,
            ..
        } in &records.list
        {
            let whole = TimeRange::new(from + start, from + start + ns);
            let shown = whole.since(commit.end - commit.ns - lead(commit));
            if !shown.is_empty() {
                let of_word = seen.entry((lane, word)).or_default();
                of_word.push((shown.start_ns, shown.length_ns()));
            }
        }
        for ((lane, word), intervals) in seen {
            let word = list.words[word].as_str();
            if word == "commit" || word.starts_with("redo") {
                assert_eq!(intervals, expected(commit, &records.lanes[lane], word), "{word}");
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn the_path_hops_lanes_at_wake_ups() {
    let mut hops = 0;
    for (_, commit) in all() {
        let records = commit.records.as_ref().unwrap();
        let mut at = records.lead;
        for (before, after) in commit.parts.iter().zip(&commit.parts[1..]) {
            at += before.0;
            if after.1 == commit.tid && before.1 != commit.tid {
                let mut list = records.list.iter();
                assert!(
                    list.any(|record| record.start == at && record.waker == before.1),
                    "no wake-up at {at} of {}",
                    commit.ns
                );
                hops += 1;
            }
        }
    }
    assert!(hops > 50, "{hops}");
}

#[test]
fn each_band_has_two_typical_commits_and_the_number_of_shorter_ones() {
    let bands = |lengths: &mut dyn Iterator<Item = u64>| {
        let mut bands = BTreeMap::<u16, usize>::new();
        lengths.for_each(|ns| *bands.entry(latency_row(ns) / 4).or_default() += 1);
        bands
    };
    let found = bands(&mut FOUND.typical.commits.iter().map(|commit| commit.ns));
    let all = bands(&mut commits().map(|(_, ns, _)| ns));
    let two = all.iter().map(|(&band, &count)| (band, count.min(2)));
    assert_eq!(found, two.collect());
    assert!(FOUND.typical.commits.is_sorted_by_key(|commit| commit.ns));
    for commit in &FOUND.typical.commits {
        let row = latency_row(commit.ns);
        let shorter = commits().filter(|&(_, ns, _)| latency_row(ns) < row);
        assert_eq!(commit.shorter, Some(shorter.count() as u64));
    }
}

#[test]
fn a_stall_has_its_two_slowest_commits() {
    let mut slow: Vec<_> = commits().collect();
    slow.sort_by_key(|&(_, ns, _)| std::cmp::Reverse(ns));
    let found = FOUND.stalls.commits.iter();
    let found: Vec<_> = found.map(|commit| (commit.ns, commit.stall)).collect();
    let start = Some(STALL_NS.div_ceil(TENTH_NS) * TENTH_NS - START_NS);
    assert_eq!(found, [(slow[0].1, start), (slow[1].1, start)]);
    assert!(slow[1].1 > STALL_LENGTH_NS);
}

#[test]
fn a_record_of_a_lane_or_with_a_word_that_is_not_listed_is_refused() {
    let commits = FOUND.commits.cells.iter().map(|cell| cell.count).sum();
    let sums = Sums {
        commits,
        total_ns: FOUND.causes.cells.iter().map(|cell| cell.ns).sum(),
        done: 0,
    };
    let read = |found: &OverTime| OverTime::parse(&serde_json::to_string(found).unwrap(), sums);
    assert_eq!(read(&FOUND).unwrap(), *FOUND);
    for damage in [(|record| record.lane = 99) as fn(&mut ExemplarRecord), |record| {
        record.word = 99;
    }] {
        let mut damaged = FOUND.clone();
        let records = damaged.typical.commits[0].records.as_mut().unwrap();
        damage(&mut records.list[0]);
        assert!(read(&damaged).is_err());
    }
}
