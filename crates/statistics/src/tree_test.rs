//! Tests along a tree: a whole first, and its parts only if it differs.
//!
//! The level is divided among the roots by their sizes. A root that is significant hands its level on to its parts, again by
//! their sizes, and a node that is significant with all below it to what is left beside it: the inheritance procedure (Goeman and
//! Finos, The inheritance procedure: multiple testing of tree-structured hypotheses, 2012). However many of the nodes do not
//! differ, and wherever they are, one of them is called significant in at most 5 of 100 trees.
//!
//! Tried: Holm's correction for all parts at once, in which dozens of small waits hide a large change, and the parts of a change
//! are certain while the change itself is not.

use crate::paired_test::SIGNIFICANT;

/// Node of a tree of tests.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeTest {
    /// Probability of such a difference, or a larger one, if there were none; absent where nothing is known.
    pub p: Option<f64>,
    /// Whether the difference is large enough to matter. Without that it is never significant.
    pub matters: bool,
    /// Size, which does not depend on the difference: nodes divide the level of the one above by their sizes.
    pub size: f64,
    /// Parts of the node.
    pub parts: Vec<TreeTest>,
    /// Whether all nodes above are significant, so that this one was tested.
    pub is_tested: bool,
    /// Whether the node differs.
    pub is_significant: bool,
}

impl TreeTest {
    /// Creates a node that is not tested yet.
    pub fn new(p: Option<f64>, matters: bool, size: f64, parts: Vec<Self>) -> Self {
        Self {
            p,
            matters,
            size,
            parts,
            is_tested: false,
            is_significant: false,
        }
    }

    /// Returns whether nothing at the node or below it is left to be found.
    fn is_done(&self) -> bool {
        self.p.is_none() || (self.is_significant && self.parts.iter().all(Self::is_done))
    }
}

/// Tests the roots of a tree, and the parts of what is significant.
pub fn test_tree(roots: &mut [TreeTest]) {
    while test_once(roots, SIGNIFICANT) {}
}

/// Tests the nodes that share a level, and below those that are significant. Returns whether any became significant.
fn test_once(nodes: &mut [TreeTest], level: f64) -> bool {
    let all: f64 = nodes
        .iter()
        .filter(|node| !node.is_done())
        .map(|node| node.size)
        .sum();
    let mut has_found = false;
    for node in nodes.iter_mut().filter(|node| !node.is_done()) {
        let own = level * node.size / all;
        if node.is_significant {
            has_found |= test_once(&mut node.parts, own);
            continue;
        }
        node.is_tested = true;
        node.is_significant = node.matters && node.p.is_some_and(|p| p <= own);
        has_found |= node.is_significant;
    }
    has_found
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::{Rng, Stream, Xoshiro256PlusPlus};
    use proptest::prelude::*;

    use super::*;

    fn node(p: f64, size: f64, parts: Vec<TreeTest>) -> TreeTest {
        TreeTest::new(Some(p), true, size, parts)
    }

    fn significant(nodes: &[TreeTest]) -> usize {
        let own = nodes.iter().map(|node| usize::from(node.is_significant));
        own.sum::<usize>() + nodes.iter().map(|node| significant(&node.parts)).sum::<usize>()
    }

    #[test]
    fn parts_are_tested_only_if_the_whole_differs_and_a_found_one_leaves_its_level_to_the_others() {
        let parts = |p| vec![node(p, 6.0, Vec::new()), node(0.04, 2.0, Vec::new())];
        let mut roots = [node(0.2, 8.0, parts(1e-9)), node(0.01, 2.0, Vec::new())];
        test_tree(&mut roots);
        assert!(!roots[0].parts[0].is_tested && roots[1].is_significant);
        // 0.04 is above 0.0125, its part of the level, and not above all of it.
        let mut roots = [node(1e-9, 8.0, parts(1e-9))];
        test_tree(&mut roots);
        assert_eq!(significant(&roots), 3);
        let mut roots = [node(1e-9, 8.0, parts(0.9))];
        test_tree(&mut roots);
        assert!(roots[0].parts[1].is_tested && !roots[0].parts[1].is_significant);
    }

    #[test]
    fn what_does_not_matter_is_not_significant_and_what_is_unknown_takes_no_level() {
        let mut roots = [TreeTest::new(Some(1e-9), false, 1.0, Vec::new())];
        test_tree(&mut roots);
        assert_eq!(significant(&roots), 0);
        let unknown = TreeTest::new(None, true, 99.0, Vec::new());
        let mut roots = [unknown, node(0.04, 1.0, Vec::new())];
        test_tree(&mut roots);
        assert_eq!(significant(&roots), 1);
    }

    /// Draws a tree of three levels. Some nodes differ, with all above them; those of the others have uniform probabilities.
    fn drawn(rng: &mut Xoshiro256PlusPlus, depth: u32, may_differ: bool) -> (TreeTest, bool) {
        let mut unit = |_| ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let [differs, p, size, count] = [0, 1, 2, 3].map(&mut unit);
        let differs = may_differ && differs < 0.5;
        let count = if depth == 0 { 0 } else { 1 + (count * 4.0) as usize };
        let parts = (0..count).map(|_| drawn(rng, depth - 1, differs).0).collect();
        let p = if differs { p * 1e-6 } else { p };
        (TreeTest::new(Some(p), true, 0.01 + size, parts), differs)
    }

    /// Returns whether a node is significant that does not differ: its probability tells.
    fn has_false_alarm(nodes: &[TreeTest]) -> bool {
        let is_false = |node: &TreeTest| node.is_significant && node.p.is_some_and(|p| p > 1e-6);
        nodes
            .iter()
            .any(|node| is_false(node) || has_false_alarm(&node.parts))
    }

    #[test]
    fn at_most_five_of_a_hundred_trees_have_a_false_alarm() {
        const TREES: usize = 4_000;
        let mut rng = Stream::Study(15).rng(3);
        for may_differ in [false, true] {
            let alarms = (0..TREES).filter(|_| {
                let mut roots: Vec<TreeTest> = (0..5).map(|_| drawn(&mut rng, 2, may_differ).0).collect();
                test_tree(&mut roots);
                has_false_alarm(&roots)
            });
            let share = alarms.count() as f64 / TREES as f64;
            // Three standard deviations above 5 %.
            assert!(share < 0.06, "{may_differ}: {share}");
            assert!(share > 0.01, "the level is used: {may_differ}, {share}");
        }
    }

    proptest! {
        #[test]
        fn nothing_below_a_node_that_is_not_significant_was_tested(seed in any::<u64>()) {
            fn holds(nodes: &[TreeTest]) -> bool {
                nodes.iter().all(|node| {
                    (node.is_significant || node.parts.iter().all(|part| !part.is_tested)) && holds(&node.parts)
                })
            }
            let mut rng = Stream::Study(15).rng(seed);
            let mut roots: Vec<TreeTest> = (0..4).map(|_| drawn(&mut rng, 2, true).0).collect();
            test_tree(&mut roots);
            prop_assert!(roots.iter().all(|root| root.is_tested) && holds(&roots));
        }
    }
}
