//! Bars of the page, whose parts have the colours of their waits.

use std::collections::BTreeMap;

use logtrace_attribution::cause::Wait;
use logtrace_attribution::rgb::hex;
use logtrace_common::units;

use crate::document::{CauseRow, Document};
use crate::render::over_time::Area;
use crate::render::sections::causes::SMALL;
use crate::render::sections::tree;
use crate::render::wait_order::order_by_kind;

/// Most waits that a line of the tree names, and most letters of their names and shares: with more a line would not be one line in
/// a window of 1280 pixels.
const MOST_NAMED: usize = 3;
const MOST_LETTERS: usize = 33;

/// Letters that the mark of a wait is as wide as.
const MARK_LETTERS: usize = 3;

/// Waits of a group of commits side by side.
pub(super) struct StackedBar {
    pub(super) name: String,
    pub(super) segments: Vec<BarSegment>,
}

/// Part of a bar.
pub(super) struct BarSegment {
    pub(super) name: String,
    pub(super) color: String,
    /// Width in percent.
    pub(super) percent: f64,
    pub(super) text: String,
}

/// Line of the tree.
pub(super) struct TreeBar {
    /// Line of the tree with its name.
    pub(super) label: String,
    pub(super) percent: u64,
    /// Bar, whose segments are as wide together as the share of the line.
    pub(super) bar: Vec<BarSegment>,
    /// Waits with their colours.
    pub(super) waits: Vec<(String, String)>,
    /// All waits in words.
    pub(super) all: String,
}

/// Returns the lines of the tree with their colours.
pub(super) fn tree_rows(whole: &tree::Node) -> Vec<TreeBar> {
    let lines = tree::lines(whole).into_iter();
    let rows = lines.map(|line| TreeBar {
        label: format!("{}{}", line.edge, line.name),
        percent: line.percent,
        bar: line
            .parts
            .iter()
            .map(|&(wait, ns)| segment(wait, ns, whole.ns))
            .collect(),
        waits: named(&line.waits),
        all: line.waits.iter().map(share).collect::<Vec<_>>().join(", "),
    });
    rows.collect()
}

/// Returns the largest waits of a line with their colours, as many as have room, and the others as one.
fn named(waits: &[tree::TreeWait]) -> Vec<(String, String)> {
    let mut room = MOST_LETTERS + MARK_LETTERS;
    let has_room = |of: &&tree::TreeWait| {
        let left = room.checked_sub(share(of).len() + MARK_LETTERS);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let fitting = waits.iter().take(MOST_NAMED).take_while(has_room).count();
    let (largest, others) = waits.split_at(fitting.max(1).min(waits.len()));
    let words = |of: &tree::TreeWait| (color(of.wait), share(of));
    let percent: u64 = others.iter().map(|of| of.percent).sum();
    let others = (percent > 0).then(|| (color(None), format!("others {percent}")));
    largest.iter().map(words).chain(others).collect()
}

fn share(of: &tree::TreeWait) -> String {
    format!("{} {}", of.name, of.percent)
}

/// Returns the commit time by kind of wait, with the shares of the line of the other texts.
pub(super) fn kinds(document: &Document) -> Vec<BarSegment> {
    let shares = tree::kind_shares(document).into_iter();
    let segments = shares.map(|(kind, percent)| BarSegment {
        name: kind.to_string(),
        color: hex(kind.color()),
        percent: units::real(percent),
        text: format!("{percent} %"),
    });
    segments.collect()
}

/// Returns the bar of a group of `count` commits that took `total` together, with one segment for each wait that is not small,
/// those of a kind together, or `None` if there are no commits.
pub(super) fn bar(
    name: &str,
    count: u64,
    total: u64,
    document: &Document,
    part: fn(&CauseRow) -> u64,
) -> Option<StackedBar> {
    let mean = units::duration(units::mean(total, count)?);
    let mut waits = BTreeMap::<Wait, u64>::new();
    for row in &document.causes {
        let time = waits.entry(row.cause.wait).or_default();
        *time = time.saturating_add(part(row));
    }
    let is_large = |ns: u64| units::share(ns, total).is_some_and(|share| share >= SMALL);
    let (mut large, small): (Vec<_>, Vec<_>) = waits.into_iter().partition(|&(_, ns)| is_large(ns));
    order_by_kind(&mut large, |&ns| ns);
    let others = units::sum(small.into_iter().map(|(_, ns)| ns));
    let large = large.into_iter().map(|(wait, ns)| segment(Some(wait), ns, total));
    let others = (others > 0).then(|| segment(None, others, total));
    Some(StackedBar {
        name: format!("{name}: {} commits, mean {mean}", units::count(count)),
        segments: large.chain(others).collect(),
    })
}

/// Returns the part of a bar that is of a wait, or of all others.
fn segment(wait: Option<Wait>, ns: u64, whole: u64) -> BarSegment {
    let text = units::percent(ns, whole);
    BarSegment {
        name: wait.map_or_else(|| "others".to_owned(), |wait| wait.to_string()),
        color: color(wait),
        percent: 100.0 * units::share(ns, whole).unwrap_or(0.0),
        text: if text == "0.0 %" {
            "< 0.1 %".to_owned()
        } else {
            text
        },
    }
}

/// Returns the colour of an area.
pub(super) fn area_color(area: &Area) -> String {
    color(area.wait)
}

/// Returns the colour of a wait, or that of the page's soft text for all others.
fn color(wait: Option<Wait>) -> String {
    wait.map_or_else(|| "var(--soft)".to_owned(), wait_color)
}

/// Returns the colour of a wait in all pages and drawings, such as `#0072b2`.
pub fn wait_color(wait: Wait) -> String {
    hex(wait.color())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(waits: &[(&str, u64)]) -> Vec<String> {
        let waits = waits.iter().map(|&(name, percent)| tree::TreeWait {
            name: name.to_owned(),
            percent,
            wait: Some(Wait::OnCpu),
        });
        let named = named(&waits.collect::<Vec<_>>());
        named.into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn a_line_names_as_many_waits_as_have_room_and_the_largest_in_any_case() {
        assert_eq!(names(&[]), [""; 0]);
        assert_eq!(
            names(&[("on CPU", 14), ("timer", 3), ("client", 1), ("stopped", 1)]),
            ["on CPU 14", "timer 3", "client 1", "others 1"]
        );
        assert_eq!(
            names(&[
                ("fsync run queue: other process", 22),
                ("on CPU", 9),
                ("timer", 7)
            ]),
            ["fsync run queue: other process 22", "others 16"]
        );
        let long = "a name that is longer than all of the room of a line";
        assert_eq!(names(&[(long, 2)]), [format!("{long} 2")]);
    }
}
