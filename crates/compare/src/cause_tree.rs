//! Commit time of both sides as the tree of reports, tested from the top.

use std::collections::{BTreeMap, BTreeSet};

use logtrace_attribution::cause::{Branch, BranchParts, Wait, WaitKind, by_branch};
use logtrace_events::IoOp;
use logtrace_statistics::{DifferenceScale, TestedDifference, TreeTest, test_tree};
use serde::Serialize;

use crate::compared_value::{ComparedValue, ValuesOfBoth, test_row};
use crate::side::Side;
use crate::waited::Waited;

/// Part of the mean commit of both sides: a file, a call, a wait, or a kind of wait outside of calls on files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeNode {
    /// Name within the node above. One with a single part has the names of both.
    pub name: String,
    /// Branch of the tree: a class of files, or a kind of wait.
    pub branch: Branch,
    /// Operation on the file, if it is one.
    pub op: Option<IoOp>,
    /// Wait, if it is one.
    pub wait: Option<Wait>,
    /// Whether it was tested: all nodes above it differ.
    pub is_tested: bool,
    /// Its comparison.
    #[serde(flatten)]
    pub compared: ComparedValue,
    /// Parts, the one that changed most first. They sum to the node.
    pub parts: Vec<ChangeNode>,
    /// Cause, of a node without parts.
    #[serde(skip)]
    pub waited: Option<Waited>,
}

/// Rules for the tests of a tree.
#[derive(Clone, Copy)]
pub(crate) struct TreeRules {
    /// Spread between runs of the same.
    pub(crate) spread: f64,
    /// Smallest change that matters, in nanoseconds.
    pub(crate) smallest_ns: f64,
    /// Whether the changes cannot be judged.
    pub(crate) is_barred: bool,
}

/// Node before it is compared.
struct TreeShape {
    name: String,
    branch: Branch,
    op: Option<IoOp>,
    waits: Vec<Waited>,
    parts: Vec<TreeShape>,
}

/// Node with its values, and its test but for what the others leave it.
struct TestedShape {
    shape: TreeShape,
    row: Vec<ValuesOfBoth>,
    tested: Option<TestedDifference>,
    parts: Vec<TestedShape>,
}

/// Returns the branches of the tree; none if a run has no commits.
pub(crate) fn cause_tree(pairs: &[(Side, Side)], rules: TreeRules) -> Vec<ChangeNode> {
    let sides = || pairs.iter().flat_map(|(a, b)| [a, b]);
    if sides().any(|side| side.commit_mean_ns.is_none()) {
        return Vec::new();
    }
    let waits: BTreeSet<Waited> = sides().flat_map(|side| side.causes.keys().copied()).collect();
    let places = waits.into_iter().map(|waited| (waited.cause(), waited));
    let branches = by_branch(places, Vec::push).into_iter();
    let shapes = branches.map(|(branch, calls)| TreeShape::branch(branch, calls));
    let shapes: Vec<TestedShape> = shapes.map(|shape| tested_shape(shape, pairs, rules)).collect();
    let mut tests: Vec<TreeTest> = shapes.iter().map(|shape| shape.test(rules)).collect();
    if !rules.is_barred {
        test_tree(&mut tests);
    }
    sorted(
        shapes
            .into_iter()
            .zip(tests)
            .map(|(shape, test)| shape.node(&test, rules)),
    )
}

/// Returns the leaves of a tree.
pub(crate) fn leaves(nodes: &[ChangeNode]) -> Vec<&ChangeNode> {
    let nodes = nodes.iter().flat_map(|node| match node.parts.as_slice() {
        [] => vec![node],
        parts => leaves(parts),
    });
    nodes.collect()
}

fn tested_shape(mut shape: TreeShape, pairs: &[(Side, Side)], rules: TreeRules) -> TestedShape {
    let parts = std::mem::take(&mut shape.parts).into_iter();
    let parts = parts.map(|part| tested_shape(part, pairs, rules)).collect();
    let values = pairs.iter().map(|(a, b)| ValuesOfBoth {
        a: a.mean_ns(&shape.waits),
        b: b.mean_ns(&shape.waits),
        errors: a.error(&shape.waits).zip(b.error(&shape.waits)),
    });
    let row: Vec<ValuesOfBoth> = values.collect();
    TestedShape {
        tested: test_row(&row, DifferenceScale::Difference, rules.spread),
        shape,
        row,
        parts,
    }
}

fn sorted(nodes: impl Iterator<Item = ChangeNode>) -> Vec<ChangeNode> {
    let mut nodes: Vec<ChangeNode> = nodes.collect();
    let size = |node: &ChangeNode| node.growth_ns().abs();
    nodes.sort_by(|one, other| size(other).total_cmp(&size(one)).then(one.name.cmp(&other.name)));
    nodes
}

impl TreeShape {
    fn branch(branch: Branch, calls: BranchParts<Vec<Waited>>) -> Self {
        let waits: Vec<Waited> = calls
            .values()
            .flat_map(BTreeMap::values)
            .flatten()
            .copied()
            .collect();
        let parts = match branch {
            Branch::File(_) => Self::calls(branch, calls),
            Branch::Kind(_) => Self::leaves(branch, &waits, Waited::words),
        };
        let shape = Self {
            name: branch.to_string(),
            branch,
            op: None,
            waits,
            parts,
        };
        match branch {
            Branch::File(_) => shape.without_single_part(|file, call| format!("{file} {call}")),
            // Its only wait has the same name, but for the preposition.
            Branch::Kind(WaitKind::Cpu) => shape.without_single_part(|cpu, _| cpu.to_owned()),
            Branch::Kind(_) => shape.without_single_part(|_, wait| wait.to_owned()),
        }
    }

    fn calls(branch: Branch, calls: BranchParts<Vec<Waited>>) -> Vec<Self> {
        let calls = calls.into_iter().map(|(op, waits)| {
            let waits: Vec<Waited> = waits.into_values().flatten().collect();
            let shape = Self {
                name: op.map_or_else(String::new, |op| op.to_string()),
                branch,
                op,
                parts: Self::leaves(branch, &waits, |waited| waited.wait.to_string()),
                waits,
            };
            shape.without_single_part(|call, wait| format!("{call} {wait}"))
        });
        calls.collect()
    }

    fn leaves(branch: Branch, waits: &[Waited], name: impl Fn(Waited) -> String) -> Vec<Self> {
        let leaf = |waited: &Waited| Self {
            name: name(*waited),
            branch,
            op: waited.op,
            waits: vec![*waited],
            parts: Vec::new(),
        };
        waits.iter().map(leaf).collect()
    }

    /// Returns the only part in place of the node, with a name made of both; the node itself if it has several.
    fn without_single_part(mut self, name: impl Fn(&str, &str) -> String) -> Self {
        match self.parts.len() {
            1 => {
                let part = self.parts.remove(0);
                Self {
                    name: name(&self.name, &part.name),
                    ..part
                }
            }
            _ => self,
        }
    }
}

impl TestedShape {
    fn test(&self, rules: TreeRules) -> TreeTest {
        let how = DifferenceScale::Difference;
        // The sum of both sides says nothing about their difference.
        let size = self.row.iter().map(|values| values.a + values.b).sum();
        TreeTest::new(
            self.tested.and_then(|tested| tested.p),
            self.tested
                .is_some_and(|tested| tested.matters(how, rules.smallest_ns)),
            size,
            self.parts.iter().map(|part| part.test(rules)).collect(),
        )
    }

    fn node(self, test: &TreeTest, rules: TreeRules) -> ChangeNode {
        let tested = self.tested.map(|tested| TestedDifference {
            significant: test.is_significant,
            ..tested
        });
        let compared = ComparedValue::of(&self.row, tested, DifferenceScale::Difference, rules.smallest_ns);
        let parts = self.parts.into_iter().zip(&test.parts);
        let leaf = self
            .shape
            .waits
            .first()
            .copied()
            .filter(|_| test.parts.is_empty());
        ChangeNode {
            name: self.shape.name,
            branch: self.shape.branch,
            op: self.shape.op,
            wait: leaf.map(|waited| waited.wait),
            is_tested: test.is_tested,
            compared: compared.unless(rules.is_barred),
            parts: sorted(parts.map(|(part, test)| part.node(test, rules))),
            waited: leaf,
        }
    }
}

impl ChangeNode {
    /// Returns by how many nanoseconds a commit of B waits longer.
    pub(crate) fn growth_ns(&self) -> f64 {
        self.compared.b - self.compared.a
    }
}
