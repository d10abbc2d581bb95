//! Commit time as a tree: file, call, wait. Each level sums to the one above.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_attribution::cause::{Branch, BranchParts, Cause, Wait, WaitKind, Who, by_branch};
use logtrace_common::{FileClass, units};
use logtrace_events::IoOp;

use crate::document::Document;
use crate::render::wait_order::order_by_kind;

/// Most lines of a tree, with that of the whole.
pub(super) const MOST_LINES: usize = 10;

/// One part in this many is so small that it has no line of its own.
const SMALL: u64 = 100;

/// Name of the branch with the small ones.
pub(super) const OTHERS: &str = "others";

/// Part of the commit time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) ns: u64,
    /// Cause, whoever worked, of a part that has no parts.
    pub(crate) cause: Option<Cause>,
    /// Parts, the largest first, which sum to `ns`.
    pub(crate) parts: Vec<Node>,
}

/// Returns the tree of the commits of a document.
pub(crate) fn of_commits(document: &Document) -> Node {
    tree(document.causes.iter().map(|row| (row.cause, row.total)))
}

/// Returns the tree of these times. It has at most [`MOST_LINES`] lines: small branches become one, but for what is
/// unexplained.
pub(super) fn tree(times: impl Iterator<Item = (Cause, u64)>) -> Node {
    let branches = by_branch(times.filter(|&(_, ns)| ns > 0), |sum: &mut u64, ns| {
        *sum = sum.saturating_add(ns);
    });
    let calls = branches.values().flat_map(BTreeMap::values);
    let whole_ns = units::sum(calls.flat_map(BTreeMap::values).copied());
    let branches = branches.into_iter().map(|(branch, calls)| match branch {
        Branch::File(class) => file(class, calls, whole_ns / SMALL),
        Branch::Kind(kind) => {
            let waits = calls.into_values().flatten();
            Node::of(
                kind.to_string(),
                waits.map(|(wait, ns)| leaf(None, wait, ns)).collect(),
            )
        }
    });
    folded(Node::of("commit".to_owned(), branches.collect()))
}

/// Returns the branch of a file. It has a level of calls only if several of them took `least_ns`.
fn file(class: FileClass, calls: BranchParts<u64>, least_ns: u64) -> Node {
    let calls = calls.into_iter().filter_map(|(op, waits)| {
        let op = op?;
        let waits = waits.into_iter();
        let waits = waits.map(|(wait, ns)| leaf(Some((class, op)), wait, ns));
        Some(Node::of(op.to_string(), waits.collect()))
    });
    let mut calls: Vec<Node> = calls.collect();
    let large = calls.iter().filter(|call| call.ns >= least_ns).count();
    if calls.len() == 1 {
        let call = calls.remove(0);
        return Node {
            name: format!("{class} {}", call.name),
            ..call
        };
    }
    if large < 2 {
        let waits = calls.into_iter().flat_map(|call| {
            let named = call.parts.into_iter().map(move |wait| Node {
                name: format!("{} {}", call.name, wait.name),
                ..wait
            });
            named.collect::<Vec<_>>()
        });
        return Node::of(class.to_string(), waits.collect());
    }
    Node::of(class.to_string(), calls)
}

fn leaf(io: Option<(FileClass, IoOp)>, wait: Wait, ns: u64) -> Node {
    Node {
        name: wait.to_string(),
        ns,
        cause: Some(Cause {
            who: Who::Own,
            io,
            wait,
        }),
        parts: Vec::new(),
    }
}

/// Merges the smallest branches until the others have room.
fn folded(mut whole: Node) -> Node {
    let least_ns = whole.ns / SMALL;
    let mut small = Vec::new();
    while let Some(last) = whole.parts.iter().rposition(|branch| !branch.is_unexplained()) {
        let branch = &whole.parts[last];
        let lines = whole.lines() + usize::from(!small.is_empty());
        let has_room = lines <= MOST_LINES && branch.ns >= least_ns;
        if has_room {
            break;
        }
        small.push(whole.parts.remove(last));
    }
    if small.len() == 1 && whole.lines() + small[0].lines() <= MOST_LINES {
        whole.parts.append(&mut small);
    }
    if !small.is_empty() {
        small.iter_mut().for_each(|branch| branch.parts.clear());
        whole.parts.push(Node::of(OTHERS.to_owned(), small));
    }
    whole.sort();
    whole
}

impl Node {
    /// Creates a node with these parts.
    fn of(name: String, parts: Vec<Self>) -> Self {
        let mut node = Self {
            name,
            ns: units::sum(parts.iter().map(|part| part.ns)),
            cause: None,
            parts,
        };
        node.sort();
        node
    }

    fn sort(&mut self) {
        self.parts.sort_by_key(|part| Reverse(part.ns));
    }

    pub(super) fn is_unexplained(&self) -> bool {
        self.name == WaitKind::Unexplained.to_string()
    }

    /// Returns the nanoseconds of each wait in it, those of a kind together; at the end those of unknown waits.
    pub(super) fn by_wait(&self) -> Vec<(Option<Wait>, u64)> {
        let (mut known, mut unknown) = (BTreeMap::new(), 0);
        self.add_waits(&mut known, &mut unknown);
        let mut known: Vec<(Wait, u64)> = known.into_iter().collect();
        order_by_kind(&mut known, |&ns| ns);
        let known = known.into_iter().map(|(wait, ns)| (Some(wait), ns));
        known.chain((unknown > 0).then_some((None, unknown))).collect()
    }

    fn add_waits(&self, known: &mut BTreeMap<Wait, u64>, unknown: &mut u64) {
        if !self.parts.is_empty() {
            return self.parts.iter().for_each(|part| part.add_waits(known, unknown));
        }
        let sum = match self.cause {
            Some(cause) => known.entry(cause.wait).or_default(),
            None => unknown,
        };
        *sum = sum.saturating_add(self.ns);
    }

    /// Returns the number of lines: one, and one for each part with parts of its own.
    fn lines(&self) -> usize {
        let inner = self.parts.iter().filter(|part| !part.parts.is_empty());
        1 + inner.map(Self::lines).sum::<usize>()
    }
}
