//! Largest branch of a tree, and the largest part in it.

use logtrace_attribution::cause::Cause;

use crate::render::sections::tree::node::{OTHERS, tree};
use crate::render::sections::tree::percents::with_percents;

/// Largest branch and part, with their shares of the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Largest {
    pub(crate) branch: String,
    pub(crate) branch_percent: u64,
    /// Cause of the largest part, whoever worked.
    pub(crate) cause: Cause,
    pub(crate) percent: u64,
    /// Words for the largest part within its branch: the call, if the branch has several, and the wait.
    pub(crate) leaf: String,
    /// Whether it is more than half of the branch.
    pub(crate) is_most: bool,
    /// Whether it is all of the branch, to the percent.
    pub(crate) is_all: bool,
}

/// Returns the largest branch of the tree of these times, and the largest part in it.
pub(crate) fn largest(times: impl Iterator<Item = (Cause, u64)>) -> Option<Largest> {
    let whole = tree(times);
    let mut branches = with_percents(&whole, 100).into_iter();
    let (branch, branch_percent) = branches.find(|(branch, _)| branch.name != OTHERS)?;
    let mut percent = branch_percent;
    let mut node = branch;
    let mut names = Vec::new();
    while let Some((largest, share)) = with_percents(node, percent).into_iter().next() {
        (node, percent) = (largest, share);
        names.push(largest.name.as_str());
    }
    Some(Largest {
        branch: branch.name.clone(),
        branch_percent,
        cause: node.cause?,
        percent,
        leaf: names.join(" "),
        is_most: node.ns > branch.ns / 2,
        is_all: percent == branch_percent,
    })
}
