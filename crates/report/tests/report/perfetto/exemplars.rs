//! Export of a run without a recording: its exemplars.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::sync::LazyLock;

use flate2::read::GzDecoder;
use logtrace_attribution::breakdown::{Exemplar, Exemplars, Lane, OverTime};
use logtrace_attribution::recorded::{RecordedWindow, explain_recording};
use logtrace_events::RecordingReader;
use logtrace_report::perfetto::{ExportedTrace, Selection, export_exemplars};
use logtrace_testkit::synthetic::{group_commits, recording};

use super::Fields;

const PID: u32 = 4_000;

/// Commits of groups, of which most wait for their leader.
static RUN: LazyLock<OverTime> = LazyLock::new(|| {
    let recording = recording(&group_commits(8, 400)).unwrap();
    let recording = RecordingReader::new(&recording[..]).unwrap();
    let explained = explain_recording(recording, RecordedWindow::Measured, &[]).unwrap();
    explained.breakdown.over_time
});

/// Exemplars of all lists with their list, each once, in the order of their ends.
fn exemplars() -> Vec<(&'static Exemplars, &'static Exemplar)> {
    let lists = [&RUN.slowest, &RUN.typical, &RUN.stalls];
    let all = lists
        .into_iter()
        .flat_map(|list| list.commits.iter().map(move |commit| (list, commit)));
    let mut known = BTreeMap::new();
    for (list, commit) in all {
        known.entry((commit.end, commit.tid)).or_insert((list, commit));
    }
    known.into_values().collect()
}

/// Returns the time that is added to all times, so that none is before 0.
fn later_ns() -> u64 {
    let lead = |commit: &Exemplar| commit.records.as_ref().map_or(0, |records| records.lead);
    let all = exemplars().into_iter();
    all.map(|(_, commit)| (commit.ns + lead(commit)).saturating_sub(commit.end))
        .max()
        .unwrap()
}

fn exported(selection: Selection) -> (ExportedTrace, Vec<Fields>) {
    let mut compressed = Vec::new();
    let exported = export_exemplars(&RUN, selection, (PID, "MariaDB"), &mut compressed).unwrap();
    let mut bytes = Vec::new();
    GzDecoder::new(&compressed[..]).read_to_end(&mut bytes).unwrap();
    (exported, Fields::of(&bytes).of_field(1))
}

/// Threads by their tracks.
fn threads(packets: &[Fields]) -> HashMap<u64, u32> {
    let tracks = packets.iter().flat_map(|packet| packet.of_field(60));
    let threads = tracks.filter_map(|track| {
        let thread = track.of_field(4).pop()?;
        let tid = u32::try_from(thread.number(2)?).unwrap();
        Some((track.number(1)?, tid))
    });
    threads.collect()
}

/// Slice with its track.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    track: u64,
    name: String,
    start_ns: u64,
    end_ns: u64,
}

fn seen(packets: &[Fields]) -> Vec<Seen> {
    let interned = packets.iter().flat_map(|packet| packet.of_field(12));
    let words = interned.flat_map(|data| data.of_field(2));
    let names: HashMap<u64, String> = words
        .map(|word| (word.number(1).unwrap(), word.text(2).unwrap()))
        .collect();
    let mut open = HashMap::<u64, Vec<(String, u64)>>::new();
    let mut seen = Vec::new();
    for packet in packets {
        for event in packet.of_field(11) {
            let (track, at_ns) = (event.number(11).unwrap(), packet.number(8).unwrap());
            match event.number(9).unwrap() {
                1 => {
                    let name = names[&event.number(10).unwrap()].clone();
                    open.entry(track).or_default().push((name, at_ns));
                }
                2 => {
                    let (name, start_ns) = open.get_mut(&track).unwrap().pop().unwrap();
                    seen.push(Seen {
                        track,
                        name,
                        start_ns,
                        end_ns: at_ns,
                    });
                }
                _ => {}
            }
        }
    }
    seen
}

#[test]
fn the_explained_slices_sum_to_the_exemplars() {
    let total_ns: u64 = exemplars().iter().map(|(_, commit)| commit.ns).sum();
    let (exported, packets) = exported(Selection::Exemplars);
    assert_eq!(exported.commits, exemplars().len() as u64);
    assert!(
        exported.commits > 64,
        "typical ones are not all among the slowest"
    );
    assert_eq!(exported.total_ns, total_ns);
    let slices = super::slices(&packets);
    let explained = slices["explained"].iter();
    assert_eq!(explained.map(|(start, end)| end - start).sum::<u64>(), total_ns);
    let all: usize = slices.values().map(Vec::len).sum();
    assert_eq!(exported.slices, all as u64);
}

#[test]
fn each_hop_of_a_critical_path_is_an_arrow() {
    let mut expected = Vec::new();
    for (_, commit) in exemplars() {
        let mut at_ns = commit.end + later_ns() - commit.ns;
        for pair in commit.parts.windows(2) {
            at_ns += pair[0].0;
            if pair[0].1 != pair[1].1 {
                expected.push((at_ns, pair[0].1, pair[1].1));
            }
        }
    }
    let (exported, packets) = exported(Selection::Exemplars);
    let threads = threads(&packets);
    let mut begins = HashMap::new();
    let mut hops = Vec::new();
    for packet in &packets {
        for event in packet.of_field(11) {
            let place = || (packet.number(8).unwrap(), threads[&event.number(11).unwrap()]);
            for flow in event.numbers_of(47) {
                assert_eq!(begins.insert(flow, place()), None);
            }
            for flow in event.numbers_of(48) {
                let (from_ns, from) = begins[&flow];
                let (at_ns, to) = place();
                assert_eq!(from_ns, at_ns);
                hops.push((at_ns, from, to));
            }
        }
    }
    assert_eq!(hops.len(), begins.len());
    assert_eq!(exported.hops, hops.len() as u64);
    expected.sort_unstable();
    hops.sort_unstable();
    assert!(hops.len() > 64, "{}", hops.len());
    assert_eq!(hops, expected);
}

#[test]
fn what_the_threads_did_is_there_once() {
    let (_, packets) = exported(Selection::Exemplars);
    let tracks: HashMap<u32, u64> = threads(&packets)
        .into_iter()
        .map(|(track, tid)| (tid, track))
        .collect();
    let mut seen = seen(&packets);
    seen.sort();
    for pair in seen.windows(2) {
        let is_twice = (pair[0].track, &pair[0].name) == (pair[1].track, &pair[1].name)
            && pair[1].start_ns < pair[0].end_ns;
        // Flushes of a device are in lanes.
        assert!(!is_twice, "{pair:?}");
    }
    let mut records = 0;
    for (list, commit) in exemplars() {
        let Some(of) = &commit.records else { continue };
        let from_ns = commit.end + later_ns() - commit.ns - of.lead;
        for record in &of.list {
            let Lane::Thread { tid } = of.lanes[record.lane] else {
                continue;
            };
            let (start_ns, end_ns) = (from_ns + record.start, from_ns + record.start + record.ns);
            let word = &list.words[record.word];
            let covers = |slice: &Seen| {
                slice.track == tracks[&tid]
                    && slice.name == *word
                    && slice.start_ns <= start_ns
                    && end_ns <= slice.end_ns
            };
            assert!(seen.iter().any(covers), "{word} of {tid} at {start_ns}");
            records += 1;
        }
    }
    assert!(records > 500, "{records}");
}

#[test]
fn fewer_can_be_chosen() {
    let (slowest, _) = exported(Selection::Slowest(3));
    let expected: u64 = RUN.slowest.commits[..3].iter().map(|commit| commit.ns).sum();
    assert_eq!((slowest.commits, slowest.total_ns), (3, expected));
}
