//! File of packets: tracks, and events in the order of time.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use super::messages::{
    BY_RANK, CLEARED, COUNTER, Callstack, Clock, ClockSnapshot, CounterDescriptor, DebugAnnotation, Defaults,
    Frame, Interned, InternedData, MONOTONIC, NEEDS_STATE, Packet, ProcessDescriptor, ThreadDescriptor,
    TrackDescriptor, TrackEvent,
};

/// Number of the only sequence of packets.
const SEQUENCE: u32 = 1;

/// Tag of a packet in the file: field 1 of the message Trace, of a length that follows.
const PACKET_TAG: u8 = 0x0a;

/// Track of a process.
pub(super) const PROCESS: u64 = 1;

/// Writer of a file, compressed with gzip.
pub(super) struct TraceFile<W: Write> {
    to: GzEncoder<W>,
    names: HashMap<String, u64>,
    categories: HashMap<String, u64>,
    functions: HashMap<String, u64>,
    /// Numbers of call stacks by their ids.
    stacks: HashMap<u32, u64>,
}

/// Event of a track, with words instead of numbers for its name and category.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Event {
    pub(super) at_ns: u64,
    pub(super) track: u64,
    /// [`super::messages::BEGIN`], `END` or `INSTANT`.
    pub(super) kind: i32,
    pub(super) name: String,
    pub(super) category: Option<String>,
    pub(super) notes: Vec<Note>,
    /// Id of a call stack of the file.
    pub(super) stack: Option<u32>,
    /// Flow that begins here.
    pub(super) flow: Option<u64>,
    /// Flow that ends here.
    pub(super) ended_flow: Option<u64>,
}

/// Named number of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Note(pub(super) &'static str, pub(super) u64);

impl<W: Write> TraceFile<W> {
    /// Begins a file: times are those of CLOCK_MONOTONIC.
    pub(super) fn begin(to: W) -> io::Result<Self> {
        let mut file = Self {
            to: GzEncoder::new(to, Compression::default()),
            names: HashMap::new(),
            categories: HashMap::new(),
            functions: HashMap::new(),
            stacks: HashMap::new(),
        };
        let clock = Clock {
            clock_id: Some(MONOTONIC),
            timestamp: Some(0),
        };
        file.write(Packet {
            sequence_flags: Some(CLEARED),
            clock_snapshot: Some(ClockSnapshot {
                clocks: vec![clock],
                primary_trace_clock: Some(MONOTONIC),
            }),
            trace_packet_defaults: Some(Defaults {
                timestamp_clock_id: Some(MONOTONIC),
            }),
            ..Packet::default()
        })?;
        Ok(file)
    }

    /// Adds the process of the server. Its tracks are below it, in the order of their ranks.
    pub(super) fn process(&mut self, pid: u32, name: &str) -> io::Result<()> {
        self.track(TrackDescriptor {
            uuid: Some(PROCESS),
            process: Some(ProcessDescriptor {
                pid: i32::try_from(pid).ok(),
                process_name: Some(name.to_owned()),
            }),
            child_ordering: Some(BY_RANK),
            ..TrackDescriptor::default()
        })
    }

    /// Adds a thread of the process.
    pub(super) fn thread(&mut self, track: u64, pid: u32, tid: u32, name: &str) -> io::Result<()> {
        self.track(TrackDescriptor {
            uuid: Some(track),
            thread: Some(ThreadDescriptor {
                pid: i32::try_from(pid).ok(),
                tid: i32::try_from(tid).ok(),
                thread_name: Some(name.to_owned()),
            }),
            ..TrackDescriptor::default()
        })
    }

    /// Adds a track with a name below another one.
    pub(super) fn named(&mut self, track: u64, parent: u64, name: &str, rank: i32) -> io::Result<()> {
        self.track(TrackDescriptor {
            uuid: Some(track),
            parent_uuid: Some(parent),
            name: Some(name.to_owned()),
            sibling_order_rank: Some(rank),
            ..TrackDescriptor::default()
        })
    }

    fn track(&mut self, descriptor: TrackDescriptor) -> io::Result<()> {
        self.write(Packet {
            track_descriptor: Some(descriptor),
            ..Packet::default()
        })
    }

    /// Adds a track of numbers below the process, with its changes.
    pub(super) fn counter(&mut self, track: u64, name: &str, changes: &[(u64, i64)]) -> io::Result<()> {
        self.track(TrackDescriptor {
            uuid: Some(track),
            parent_uuid: Some(PROCESS),
            name: Some(name.to_owned()),
            counter: Some(CounterDescriptor {}),
            ..TrackDescriptor::default()
        })?;
        changes.iter().try_for_each(|&(at_ns, value)| {
            self.write(Packet {
                timestamp: Some(at_ns),
                track_event: Some(TrackEvent {
                    r#type: Some(COUNTER),
                    track_uuid: Some(track),
                    counter_value: Some(value),
                    ..TrackEvent::default()
                }),
                ..Packet::default()
            })
        })
    }

    /// Adds a call stack for events, by its id. Its functions come outermost first.
    pub(super) fn call_stack(&mut self, id: u32, functions: Vec<String>) -> io::Result<()> {
        let mut new = InternedData::default();
        let number_of = |function| number(&mut self.functions, function, &mut new.function_names);
        let frame_ids: Vec<u64> = functions.into_iter().map(number_of).collect();
        // A function is always the same frame, of the same number.
        new.frames = new
            .function_names
            .iter()
            .map(|function| Frame {
                iid: function.iid,
                function_name_id: function.iid,
            })
            .collect();
        let iid = self.stacks.len() as u64 + 1;
        self.stacks.insert(id, iid);
        new.callstacks = vec![Callstack {
            iid: Some(iid),
            frame_ids,
        }];
        self.write(Packet {
            sequence_flags: Some(NEEDS_STATE),
            interned_data: Some(new),
            ..Packet::default()
        })
    }

    /// Adds events.
    pub(super) fn events(&mut self, events: impl IntoIterator<Item = Event>) -> io::Result<()> {
        events.into_iter().try_for_each(|event| self.event(event))
    }

    fn event(&mut self, event: Event) -> io::Result<()> {
        let mut new = InternedData::default();
        let name =
            (!event.name.is_empty()).then(|| number(&mut self.names, event.name, &mut new.event_names));
        let category = event
            .category
            .map(|category| number(&mut self.categories, category, &mut new.event_categories));
        let is_new = new != InternedData::default();
        self.write(Packet {
            timestamp: Some(event.at_ns),
            sequence_flags: Some(NEEDS_STATE),
            interned_data: is_new.then_some(new),
            track_event: Some(TrackEvent {
                r#type: Some(event.kind),
                track_uuid: Some(event.track),
                name_iid: name,
                category_iids: category.into_iter().collect(),
                debug_annotations: event.notes.into_iter().map(annotation).collect(),
                flow_ids: event.flow.into_iter().collect(),
                terminating_flow_ids: event.ended_flow.into_iter().collect(),
                callstack_iid: event.stack.and_then(|id| self.stacks.get(&id).copied()),
                ..TrackEvent::default()
            }),
            ..Packet::default()
        })
    }

    /// Ends the file.
    pub(super) fn finish(self) -> io::Result<W> {
        self.to.finish()
    }

    fn write(&mut self, packet: Packet) -> io::Result<()> {
        let packet = Packet {
            trusted_packet_sequence_id: Some(SEQUENCE),
            ..packet
        };
        self.to.write_all(&[PACKET_TAG])?;
        self.to.write_all(&packet.encode_length_delimited_to_vec())
    }
}

/// Returns the number of a word, which is sent when it is used for the first time.
fn number(numbers: &mut HashMap<String, u64>, word: String, new: &mut Vec<Interned>) -> u64 {
    if let Some(&number) = numbers.get(&word) {
        return number;
    }
    let number = numbers.len() as u64 + 1;
    new.push(Interned {
        iid: Some(number),
        name: Some(word.clone()),
    });
    numbers.insert(word, number);
    number
}

fn annotation(Note(name, value): Note) -> DebugAnnotation {
    DebugAnnotation {
        name: Some(name.to_owned()),
        uint_value: Some(value),
    }
}
