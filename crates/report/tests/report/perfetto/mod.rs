//! Export to Perfetto, read back with a decoder of its own: the sums are exact, and each wake-up is an arrow.

mod exemplars;

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use flate2::read::GzDecoder;
use logtrace_common::TimeRange;
use logtrace_events::{Commit, Record, RecordingReader};
use logtrace_report::perfetto::{ExportedTrace, Selection, export};
use logtrace_testkit::synthetic::{group_commits, recording, stated_group_commits};

fn exported(records: &[Record], selection: Selection) -> (ExportedTrace, Vec<Fields>) {
    let recording = recording(records).unwrap();
    let mut compressed = Vec::new();
    let open = || RecordingReader::new(&recording[..]);
    let exported = export(open, selection, "MariaDB 11.4.5", &mut compressed).unwrap();
    let mut bytes = Vec::new();
    GzDecoder::new(&compressed[..]).read_to_end(&mut bytes).unwrap();
    let packets = Fields::of(&bytes).of_field(1);
    (exported, packets)
}

/// Fields of a message of Protocol Buffers: numbers, and the bytes of the others.
#[derive(Clone, Debug, Default)]
struct Fields {
    numbers: Vec<(u64, u64)>,
    bytes: Vec<(u64, Vec<u8>)>,
}

impl Fields {
    fn of(mut bytes: &[u8]) -> Self {
        let mut fields = Self::default();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            match key & 7 {
                0 => fields.numbers.push((key >> 3, varint(&mut bytes))),
                1 => {
                    let (number, rest) = bytes.split_at(8);
                    fields
                        .numbers
                        .push((key >> 3, u64::from_le_bytes(number.try_into().unwrap())));
                    bytes = rest;
                }
                2 => {
                    let length = usize::try_from(varint(&mut bytes)).unwrap();
                    let (message, rest) = bytes.split_at(length);
                    fields.bytes.push((key >> 3, message.to_vec()));
                    bytes = rest;
                }
                kind => panic!("a field of kind {kind}"),
            }
        }
        fields
    }

    /// All messages in a field.
    fn of_field(&self, field: u64) -> Vec<Self> {
        let messages = self.bytes.iter().filter(|(at, _)| *at == field);
        messages.map(|(_, bytes)| Self::of(bytes)).collect()
    }

    fn numbers_of(&self, field: u64) -> Vec<u64> {
        let numbers = self.numbers.iter().filter(|(at, _)| *at == field);
        numbers.map(|&(_, number)| number).collect()
    }

    fn number(&self, field: u64) -> Option<u64> {
        self.numbers_of(field).first().copied()
    }

    fn text(&self, field: u64) -> Option<String> {
        let (_, bytes) = self.bytes.iter().find(|(at, _)| *at == field)?;
        Some(String::from_utf8(bytes.clone()).unwrap())
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return number;
        }
    }
    panic!("a number of more than 64 bits");
}

/// Times of the slices of each track, by its name; begins and ends must match.
fn slices(packets: &[Fields]) -> BTreeMap<String, Vec<(u64, u64)>> {
    let mut names = HashMap::new();
    for track in packets.iter().flat_map(|packet| packet.of_field(60)) {
        names.insert(track.number(1).unwrap(), track.text(2).unwrap_or_default());
    }
    let mut open = HashMap::<u64, Vec<u64>>::new();
    let mut slices = BTreeMap::<String, Vec<(u64, u64)>>::new();
    for packet in packets {
        let at_ns = packet.number(8);
        for event in packet.of_field(11) {
            let (track, at_ns) = (event.number(11).unwrap(), at_ns.unwrap());
            match event.number(9).unwrap() {
                1 => open.entry(track).or_default().push(at_ns),
                2 => {
                    let start_ns = open.get_mut(&track).unwrap().pop().unwrap();
                    slices
                        .entry(names[&track].clone())
                        .or_default()
                        .push((start_ns, at_ns));
                }
                3 | 4 => {}
                kind => panic!("an event of kind {kind}"),
            }
        }
    }
    assert!(open.values().all(Vec::is_empty), "a slice has no end");
    slices
}

fn commits(records: &[Record]) -> impl Iterator<Item = &Commit> {
    records.iter().filter_map(|record| match record {
        Record::Commit(commit) => Some(commit),
        _ => None,
    })
}

#[test]
fn the_explained_slices_sum_to_the_commits() {
    let records = group_commits(8, 20);
    let total_ns: u64 = commits(&records)
        .map(|commit| commit.end_ns - commit.start_ns)
        .sum();
    let (exported, packets) = exported(&records, Selection::Whole);
    assert_eq!((exported.commits, exported.total_ns), (160, total_ns));
    let slices = slices(&packets);
    let explained_ns: u64 = slices["explained"].iter().map(|(start, end)| end - start).sum();
    assert_eq!(explained_ns, total_ns);
    assert!(!exported.is_cut);
}

#[test]
fn each_wake_up_is_an_arrow_from_the_waker_to_the_thread_that_it_woke() {
    let (exported, packets) = exported(&group_commits(8, 20), Selection::Whole);
    let events: Vec<Fields> = packets.iter().flat_map(|packet| packet.of_field(11)).collect();
    let flows = |field: u64| {
        let mut flows: Vec<u64> = events.iter().flat_map(|event| event.numbers_of(field)).collect();
        flows.sort_unstable();
        flows
    };
    // Perfetto leaves out an end that it reads before the begin.
    let place = |field: u64, flow| {
        events
            .iter()
            .position(|event| event.numbers_of(field).contains(&flow))
    };
    for flow in 1..=exported.wake_ups {
        assert!(place(47, flow).unwrap() < place(48, flow).unwrap(), "flow {flow}");
    }
    let expected: Vec<u64> = (1..=exported.wake_ups).collect();
    assert!(exported.wake_ups >= 7 * 20, "{exported:?}");
    assert_eq!((flows(47), flows(48)), (expected.clone(), expected));
}

#[test]
fn a_part_and_the_slowest_commits_are_exported_alone() {
    let records = group_commits(8, 20);
    let middle = commits(&records).nth(80).unwrap();
    let part = TimeRange::new(middle.start_ns, middle.end_ns);
    let (some, _) = exported(&records, Selection::Part(part));
    assert!((8..32).contains(&some.commits), "{some:?}");
    let (slowest, packets) = exported(&records, Selection::Slowest(1));
    assert!((1..32).contains(&slowest.commits), "{slowest:?}");
    let longest_ns = commits(&records)
        .map(|commit| commit.end_ns - commit.start_ns)
        .max()
        .unwrap();
    let slices = slices(&packets);
    let connections = slices.values().flatten();
    assert!(
        connections
            .map(|(start, end)| end - start)
            .any(|ns| ns == longest_ns)
    );
}

/// Values of a counter's track in the order of time.
fn counter(packets: &[Fields], name: &str) -> Vec<u64> {
    let tracks = packets.iter().flat_map(|packet| packet.of_field(60));
    let mut tracks = tracks.filter(|track| track.text(2).as_deref() == Some(name));
    let track = tracks.next().unwrap().number(1);
    let events = packets.iter().flat_map(|packet| packet.of_field(11));
    let events = events.filter(|event| event.number(11) == track && event.number(9) == Some(4));
    events.map(|event| event.number(30).unwrap()).collect()
}

#[test]
fn counters_have_the_commits_under_way_and_their_rate() {
    let (exported, packets) = exported(&group_commits(8, 20), Selection::Whole);
    let under_way = counter(&packets, "exported commits under way");
    assert_eq!((under_way.iter().max(), under_way.last()), (Some(&8), Some(&0)));
    let rate = counter(&packets, "exported commits a second");
    assert_eq!(rate.iter().sum::<u64>(), 10 * exported.commits);
}

#[test]
fn each_group_has_a_slice_where_the_server_states_them() {
    let groups = |records: &[Record]| {
        let (_, packets) = exported(records, Selection::Whole);
        slices(&packets).get("group commits").map_or(0, Vec::len)
    };
    assert_eq!(groups(&stated_group_commits(8, 20)), 20);
    assert_eq!(groups(&group_commits(8, 20)), 0);
}

#[test]
fn blocks_have_the_call_stack_of_the_kernel() {
    let (_, packets) = exported(&group_commits(8, 20), Selection::Whole);
    let interned: Vec<Fields> = packets.iter().flat_map(|packet| packet.of_field(12)).collect();
    let words = |field: u64| -> HashMap<u64, String> {
        let words = interned.iter().flat_map(|data| data.of_field(field));
        words
            .map(|word| (word.number(1).unwrap(), word.text(2).unwrap()))
            .collect()
    };
    let (functions, names) = (words(5), words(2));
    let mut frames = HashMap::new();
    for frame in interned.iter().flat_map(|data| data.of_field(6)) {
        frames.insert(
            frame.number(1).unwrap(),
            functions[&frame.number(2).unwrap()].clone(),
        );
    }
    let mut stacks = HashMap::new();
    for stack in interned.iter().flat_map(|data| data.of_field(7)) {
        let path: Vec<&str> = stack
            .numbers_of(2)
            .iter()
            .map(|frame| frames[frame].as_str())
            .collect();
        stacks.insert(stack.number(1).unwrap(), path.join(";"));
    }
    let mut blocks = BTreeMap::<(String, String), u32>::new();
    for event in packets.iter().flat_map(|packet| packet.of_field(11)) {
        if let Some(stack) = event.number(56) {
            let name = names[&event.number(10).unwrap()].clone();
            *blocks.entry((name, stacks[&stack].clone())).or_default() += 1;
        }
    }
    let is_journal =
        |(name, path): &&(String, String)| name == "journal commit" && path.contains("jbd2_log_wait_commit");
    assert!(blocks.keys().any(|key| is_journal(&key)), "{blocks:?}");
}
