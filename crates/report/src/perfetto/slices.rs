//! Slices of a track as events that nest.

use logtrace_common::TimeRange;

use super::messages::{BEGIN, END};
use super::trace_file::{Event, Note};

/// Time with a name on a track.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slice {
    pub(super) range: TimeRange,
    pub(super) name: String,
    pub(super) category: Option<String>,
    pub(super) notes: Vec<Note>,
    /// Id of the kernel's stack in which the thread blocked.
    pub(super) stack: Option<u32>,
    /// Flow that ends at its begin.
    pub(super) ended_flow: Option<u64>,
}

impl Slice {
    /// Creates a slice without notes.
    pub(super) fn new(range: TimeRange, name: impl Into<String>) -> Self {
        Self {
            range,
            name: name.into(),
            category: None,
            notes: Vec::new(),
            stack: None,
            ended_flow: None,
        }
    }
}

/// Returns the begins and ends of the slices of a track. A slice that would end after the one around it ends with it: its end
/// was not seen.
pub(super) fn events(track: u64, mut slices: Vec<Slice>) -> Vec<Event> {
    slices.sort_by_key(|slice| (slice.range.start_ns, std::cmp::Reverse(slice.range.end_ns)));
    let mut events = Vec::with_capacity(2 * slices.len());
    let mut open: Vec<u64> = Vec::new();
    let end = |at_ns| Event {
        at_ns,
        track,
        kind: END,
        ..Event::default()
    };
    for slice in slices {
        let TimeRange { start_ns, mut end_ns } = slice.range;
        while let Some(ended_ns) = open.pop_if(|ends_ns| *ends_ns <= start_ns) {
            events.push(end(ended_ns));
        }
        if let Some(&around_ns) = open.last() {
            end_ns = end_ns.min(around_ns);
        }
        open.push(end_ns);
        events.push(Event {
            at_ns: start_ns,
            track,
            kind: BEGIN,
            name: slice.name,
            category: slice.category,
            notes: slice.notes,
            stack: slice.stack,
            flow: None,
            ended_flow: slice.ended_flow,
        });
    }
    events.extend(open.into_iter().rev().map(end));
    events
}

/// Puts intervals that may overlap into lanes in which none do, each into the first one that is free.
pub(super) fn lanes(mut slices: Vec<Slice>) -> Vec<Vec<Slice>> {
    slices.sort_by_key(|slice| slice.range.start_ns);
    let mut lanes: Vec<Vec<Slice>> = Vec::new();
    for slice in slices {
        let is_free = |lane: &&mut Vec<Slice>| {
            let last = lane.last();
            last.is_none_or(|last| last.range.end_ns <= slice.range.start_ns)
        };
        match lanes.iter_mut().find(is_free) {
            Some(lane) => lane.push(slice),
            None => lanes.push(vec![slice]),
        }
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(start_ns: u64, end_ns: u64, name: &str) -> Slice {
        Slice::new(TimeRange::new(start_ns, end_ns), name)
    }

    #[test]
    fn the_outer_slice_begins_first_and_an_end_comes_before_the_next_begin() {
        let slices = vec![
            slice(30, 40, "block"),
            slice(10, 50, "commit"),
            slice(10, 30, "write"),
            slice(45, 60, "late"),
        ];
        let texts: Vec<String> = events(1, slices)
            .iter()
            .map(|event| {
                format!(
                    "{} {}",
                    event.at_ns,
                    if event.kind == BEGIN { &event.name } else { "end" }
                )
            })
            .collect();
        let expected = [
            "10 commit",
            "10 write",
            "30 end",
            "30 block",
            "40 end",
            "45 late",
            "50 end",
            "50 end",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn lanes_have_no_overlap() {
        let lanes = lanes(vec![slice(5, 9, "b"), slice(0, 6, "a"), slice(6, 8, "c")]);
        let names: Vec<Vec<&str>> = lanes
            .iter()
            .map(|lane| lane.iter().map(|slice| slice.name.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["a", "c"], vec!["b"]]);
    }
}
