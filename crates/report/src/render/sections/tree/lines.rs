//! Lines of a tree, and their text.

use logtrace_attribution::cause::Wait;

use crate::render::sections::tree::node::{Node, OTHERS};
use crate::render::sections::tree::percents::with_percents;

/// Columns of the text.
pub(crate) const WIDTH: usize = 80;

/// Line of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeLine {
    /// Lines of the tree at its left, such as `│ ├ `.
    pub(crate) edge: &'static str,
    pub(crate) name: String,
    /// Share of the whole; those of the parts of a node sum to its own.
    pub(crate) percent: u64,
    /// Waits, the largest first, and those of a whole percent alone: their shares sum to `percent`.
    pub(crate) waits: Vec<TreeWait>,
    /// Nanoseconds of all waits of the line, those of a kind together; `None` is those of small branches.
    pub(crate) parts: Vec<(Option<Wait>, u64)>,
}

/// Wait in a line of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeWait {
    pub(crate) name: String,
    pub(crate) percent: u64,
    pub(crate) wait: Option<Wait>,
}

/// Returns the lines of a tree below that of the whole. Small branches together are no line if they are less than one percent.
pub(crate) fn lines(whole: &Node) -> Vec<TreeLine> {
    let mut lines = Vec::new();
    let mut branches = with_percents(whole, 100);
    branches.retain(|(branch, percent)| *percent > 0 || branch.name != OTHERS);
    let last = branches.len().saturating_sub(1);
    for (at, (branch, percent)) in branches.into_iter().enumerate() {
        let is_last = at == last;
        lines.push(line(if is_last { "└ " } else { "├ " }, branch, percent));
        let calls = branch.parts.iter().filter(|part| !part.parts.is_empty());
        let last = calls.count().saturating_sub(1);
        for (at, (call, percent)) in with_percents(branch, percent).into_iter().enumerate() {
            let edge = match (is_last, at == last) {
                (true, false) => "  ├ ",
                (true, true) => "  └ ",
                (false, false) => "│ ├ ",
                (false, true) => "│ └ ",
            };
            if !call.parts.is_empty() {
                lines.push(line(edge, call, percent));
            }
        }
    }
    lines
}

fn line(edge: &'static str, node: &Node, percent: u64) -> TreeLine {
    let is_one = node.parts.len() == 1 && node.parts[0].name == node.name;
    let waits = with_percents(node, percent).into_iter();
    let waits = waits.filter(|(part, percent)| part.parts.is_empty() && *percent > 0 && !is_one);
    TreeLine {
        edge,
        name: node.name.clone(),
        percent,
        waits: waits
            .map(|(part, percent)| TreeWait {
                name: part.name.clone(),
                percent,
                wait: part.cause.map(|cause| cause.wait),
            })
            .collect(),
        parts: node.by_wait(),
    }
}

/// Returns the lines as text of at most [`WIDTH`] columns. Waits without room become one.
pub(crate) fn text(lines: &[TreeLine]) -> Vec<String> {
    let label = |line: &TreeLine| format!("{}{}", line.edge, line.name);
    let widths = lines.iter().map(|line| label(line).chars().count());
    let width = widths.max().unwrap_or(0);
    let texts = lines.iter().map(|line| {
        let head = format!("{:width$}  {:3} %", label(line), line.percent);
        let room = WIDTH.saturating_sub(head.chars().count() + 2);
        format!("{head}  {}", waits(&line.waits, room))
            .trim_end()
            .to_owned()
    });
    texts.collect()
}

/// Joins waits to a text that is no longer than `room`, the last ones as one if they are too many.
fn waits(waits: &[TreeWait], room: usize) -> String {
    let whole = joined(waits);
    if whole.chars().count() <= room {
        return whole;
    }
    let shorter = (0..waits.len()).rev().map(|kept| {
        let rest = TreeWait {
            name: "others".to_owned(),
            percent: waits[kept..].iter().map(|wait| wait.percent).sum(),
            wait: None,
        };
        joined(&[&waits[..kept], &[rest]].concat())
    });
    let mut fitting = shorter.filter(|text| text.chars().count() <= room);
    fitting.next().unwrap_or_default()
}

fn joined(waits: &[TreeWait]) -> String {
    let words = waits.iter().map(|wait| format!("{} {}", wait.name, wait.percent));
    words.collect::<Vec<_>>().join(", ")
}
