//! Flame graph of the difference of two mean commits. Boxes are as wide as the larger side, so that nothing vanishes.

use std::collections::BTreeMap;

use logtrace_statistics::Verdict;

use crate::comparison::Comparison;
use crate::render::texts::time;
use crate::stacks::StackChange;
use crate::waited::Waited;

/// Width in percent below which a box cannot be seen.
const LEAST_WIDTH: f64 = 0.05;

/// Distance of two rows in heights of letters (rem).
pub(super) const ROW: f64 = 1.4;

/// Box of the flame graph.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlameBox {
    /// Left edge in percent.
    pub(super) left: f64,
    /// Width in percent.
    pub(super) width: f64,
    /// Upper edge in heights of letters (rem).
    pub(super) top: f64,
    pub(super) name: String,
    /// Name and both times, for a closer look.
    pub(super) title: String,
    /// Class of the style: `more`, `less`, `new`, `gone` or `uncertain`.
    pub(super) class: &'static str,
}

/// Frame with everything below it.
#[derive(Default)]
struct FrameNode {
    a: f64,
    b: f64,
    width: f64,
    below: BTreeMap<String, FrameNode>,
}

/// Returns the boxes: waits in the first row, below them who worked, then the frames.
pub(super) fn boxes(comparison: &Comparison) -> Vec<FlameBox> {
    let mut waits: BTreeMap<Waited, FrameNode> = BTreeMap::new();
    for stack in &comparison.stacks {
        waits.entry(stack.waited).or_default().add(stack);
    }
    let total: f64 = waits.values().map(|node| node.width).sum();
    let mut waits: Vec<(Waited, FrameNode)> = waits.into_iter().collect();
    waits.sort_by(|one, other| other.1.width.total_cmp(&one.1.width));
    let mut boxes = Vec::new();
    let mut left = 0.0;
    for (waited, node) in waits {
        let is_certain = comparison
            .causes
            .iter()
            .any(|row| row.waited == waited && row.compared.verdict == Verdict::Differs);
        let place = FramePlace {
            left,
            top: 0.0,
            scale: 100.0 / total.max(f64::MIN_POSITIVE),
            is_certain,
        };
        left += node.width * place.scale;
        node.draw(&waited.words(), place, &mut boxes);
    }
    boxes
}

/// Place of a frame in the flame graph.
#[derive(Clone, Copy)]
struct FramePlace {
    left: f64,
    top: f64,
    /// Percent for a nanosecond.
    scale: f64,
    /// Whether the wait differs for sure.
    is_certain: bool,
}

impl FrameNode {
    /// Adds a stack to this frame and those below.
    fn add(&mut self, stack: &StackChange) {
        let who = stack.who.to_string();
        let names = [&who].into_iter().chain(&stack.frames);
        let mut node = self;
        node.grow(stack);
        for name in names {
            node = node.below.entry(name.clone()).or_default();
            node.grow(stack);
        }
    }

    fn grow(&mut self, stack: &StackChange) {
        self.a += stack.a;
        self.b += stack.b;
        self.width += stack.a.max(stack.b);
    }

    fn draw(&self, name: &str, place: FramePlace, boxes: &mut Vec<FlameBox>) {
        let width = self.width * place.scale;
        if width < LEAST_WIDTH {
            return;
        }
        boxes.push(FlameBox {
            left: place.left,
            width,
            top: place.top,
            name: name.to_owned(),
            title: format!("{name}: A {}, B {}", time(self.a), time(self.b)),
            class: self.class(place.is_certain),
        });
        let mut left = place.left;
        let mut below: Vec<(&String, &Self)> = self.below.iter().collect();
        below.sort_by(|one, other| other.1.width.total_cmp(&one.1.width));
        for (name, node) in below {
            let top = place.top + ROW;
            node.draw(name, FramePlace { left, top, ..place }, boxes);
            left += node.width * place.scale;
        }
    }

    fn class(&self, is_certain: bool) -> &'static str {
        match () {
            () if !is_certain => "uncertain",
            () if self.a == 0.0 => "new",
            () if self.b == 0.0 => "gone",
            () if self.b > self.a => "more",
            () => "less",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use logtrace_attribution::cause::{Cause, Wait, Who};

    use super::*;
    use crate::compared_value::ComparedValue;
    use crate::comparison::{Assumed, CauseChange};

    fn stack(wait: Wait, frames: &[&str], a: f64, b: f64) -> StackChange {
        let cause = Cause {
            who: Who::Own,
            io: None,
            wait,
        };
        StackChange {
            waited: cause.into(),
            who: Who::Own,
            frames: frames.iter().map(|&frame| frame.to_owned()).collect(),
            a,
            b,
        }
    }

    /// A comparison with these stacks, in which the row locks differ for sure.
    fn comparison(stacks: Vec<StackChange>) -> Comparison {
        let row = |waited: Waited, verdict| CauseChange {
            waited,
            kind: waited.wait.kind(),
            compared: ComparedValue {
                a: 0.0,
                b: 0.0,
                change: None,
                interval: None,
                p: None,
                verdict,
            },
        };
        let locks = stack(Wait::RowLock, &[], 0.0, 0.0).waited;
        let flushes = stack(Wait::DeviceFlush, &[], 0.0, 0.0).waited;
        Comparison {
            schema: 1,
            a: Vec::new(),
            b: Vec::new(),
            a_title: String::new(),
            b_title: String::new(),
            a_caveats: BTreeSet::new(),
            b_caveats: BTreeSet::new(),
            a_held_up: Vec::new(),
            b_held_up: Vec::new(),
            a_outside_cpus: None,
            b_outside_cpus: None,
            assumed: Assumed {
                smallest: 0.02,
                spread: 0.1,
            },
            settings: Vec::new(),
            rates_differ: false,
            figures: Vec::new(),
            tree: Vec::new(),
            kinds: Vec::new(),
            causes: vec![row(locks, Verdict::Differs), row(flushes, Verdict::CannotTell)],
            stacks,
            distributions: Vec::new(),
        }
    }

    #[test]
    fn nothing_vanishes_and_what_is_not_certain_is_grey() {
        let boxes = boxes(&comparison(vec![
            stack(Wait::RowLock, &["f", "less"], 60.0, 30.0),
            stack(Wait::RowLock, &["f", "gone"], 40.0, 0.0),
            stack(Wait::RowLock, &["new"], 0.0, 50.0),
            stack(Wait::DeviceFlush, &[], 10.0, 50.0),
        ]));
        let seen: Vec<(&str, &str, f64)> = boxes
            .iter()
            .map(|one| (one.name.as_str(), one.class, one.width.round()))
            .collect();
        let expected = [
            ("row lock", "less", 75.0),
            ("own", "less", 75.0),
            ("f", "less", 50.0),
            ("less", "less", 30.0),
            ("gone", "gone", 20.0),
            ("new", "new", 25.0),
            ("device flush", "uncertain", 25.0),
            ("own", "uncertain", 25.0),
        ];
        assert_eq!(seen, expected);
        let f = boxes.iter().find(|one| one.name == "f").unwrap();
        assert_eq!(f.title, "f: A 100 ns, B 30 ns");
        let new = boxes.iter().find(|one| one.name == "new").unwrap();
        assert!((new.left - (f.left + f.width)).abs() < 1e-9, "side by side");
        assert!((new.top - f.top).abs() < 1e-9);
    }
}
