//! Rows of the tree from the mean commit of A to that of B.

use logtrace_statistics::{Interval, Verdict};

use crate::cause_tree::ChangeNode;
use crate::comparison::Comparison;

/// Share of the mean commit below which a change is not listed by itself.
const SMALL: f64 = 0.005;

/// Row of the tree. The rows of each level sum to the one above.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TreeRow {
    /// Lines of the tree at its left, such as `│ ├ `.
    pub(super) edge: String,
    pub(super) name: String,
    /// Mean nanoseconds of A.
    pub(super) a: f64,
    /// Mean nanoseconds of B.
    pub(super) b: f64,
    pub(super) interval: Option<Interval>,
    /// Verdict; absent for the whole and for what is added up.
    pub(super) verdict: Option<Verdict>,
    /// Place on the way from A to B: where the change begins, in nanoseconds.
    pub(super) from: f64,
}

/// Returns the rows: the whole, then its branches, and below what differs its parts. Empty without commits.
pub(super) fn tree_rows(comparison: &Comparison) -> Vec<TreeRow> {
    let nodes: Vec<&ChangeNode> = comparison.tree.iter().collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let (a, b) = sums(&nodes);
    let mut rows = vec![TreeRow {
        edge: String::new(),
        name: "commit".to_owned(),
        a,
        b,
        interval: None,
        verdict: None,
        from: a,
    }];
    add_level(&nodes, "", a, SMALL * a, &mut rows);
    rows
}

fn sums(nodes: &[&ChangeNode]) -> (f64, f64) {
    let a = nodes.iter().map(|node| node.compared.a).sum();
    (a, nodes.iter().map(|node| node.compared.b).sum())
}

/// Adds the nodes of one level, and below those that differ their parts. Small ones become one row.
fn add_level(nodes: &[&ChangeNode], indent: &str, from: f64, least_ns: f64, rows: &mut Vec<TreeRow>) {
    let is_listed =
        |node: &&ChangeNode| node.compared.verdict == Verdict::Differs || node.growth_ns().abs() >= least_ns;
    let (listed, others): (Vec<&ChangeNode>, Vec<&ChangeNode>) = nodes.iter().copied().partition(is_listed);
    let mut from = from;
    for (at, node) in (1..).zip(&listed) {
        let is_last = at == listed.len() && others.is_empty();
        rows.push(TreeRow {
            edge: edge(indent, is_last),
            name: node.name.clone(),
            a: node.compared.a,
            b: node.compared.b,
            interval: node.compared.interval,
            verdict: Some(node.compared.verdict),
            from,
        });
        if node.compared.verdict == Verdict::Differs {
            let parts: Vec<&ChangeNode> = node.parts.iter().collect();
            let indent = format!("{indent}{}", if is_last { "  " } else { "│ " });
            add_level(&parts, &indent, from, least_ns, rows);
        }
        from += node.growth_ns();
    }
    let (a, b) = sums(&others);
    if !others.is_empty() {
        rows.push(TreeRow {
            edge: edge(indent, true),
            name: "others".to_owned(),
            a,
            b,
            interval: None,
            verdict: None,
            from,
        });
    }
}

fn edge(indent: &str, is_last: bool) -> String {
    format!("{indent}{}", if is_last { "└ " } else { "├ " })
}
