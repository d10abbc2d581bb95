//! Flame graph of a page, with its largest stacks in words: the names of narrow frames are seen only with a pointer.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use logtrace_attribution::breakdown::{StackTotal, StackTotals, Whole};
use logtrace_common::units;

use crate::document::Document;
use crate::render::error::RenderError;
use crate::render::flamegraph::flamegraph;

/// Limit on stacks in words.
const MOST_STACKS: usize = 20;

/// Flame graph.
pub(super) struct Drawing {
    pub(super) svg: String,
    /// The largest stacks with their times, outermost frame first.
    pub(super) stacks: Vec<String>,
    /// Name for who does not see it.
    pub(super) label: &'static str,
    /// File beside the page with the same drawing.
    pub(super) file: &'static str,
}

impl Drawing {
    /// Returns the `data:` address.
    pub(super) fn address(&self) -> String {
        format!("data:image/svg+xml;base64,{}", BASE64.encode(&self.svg))
    }
}

/// Returns a flame graph, or `None` if there is nothing to draw.
pub(super) fn drawing(
    document: &Document,
    stacks: &StackTotals,
    whole: Whole,
) -> Result<Option<Drawing>, RenderError> {
    let svg = match flamegraph(document, stacks, whole) {
        Ok(svg) => svg,
        Err(RenderError::NoStacks) => return Ok(None),
        Err(error) => return Err(error),
    };
    let (label, file) = match whole {
        Whole::Commit => ("Flame graph of the commits", "flamegraph.svg"),
        Whole::Response => ("Flame graph of the response times", "response.svg"),
        Whole::Statement => ("Flame graph of the statements", "statements.svg"),
    };
    Ok(Some(Drawing {
        svg,
        stacks: in_words(stacks.of(whole)),
        label,
        file,
    }))
}

fn in_words(stacks: &[StackTotal]) -> Vec<String> {
    let total_ns = units::sum(stacks.iter().map(|stack| stack.total_ns));
    let mut largest: Vec<&StackTotal> = stacks.iter().collect();
    largest.sort_by_key(|stack| std::cmp::Reverse(stack.total_ns));
    let lines = largest.into_iter().take(MOST_STACKS).map(|stack| {
        let (time, share) = (
            units::duration(stack.total_ns),
            units::percent(stack.total_ns, total_ns),
        );
        format!("{time}, {share}: {}", stack.frames.join(" › "))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_stacks_come_first_and_small_ones_are_left_out() {
        let stacks: Vec<StackTotal> = (1..=25)
            .map(|ms| StackTotal {
                frames: vec!["own".to_owned(), format!("f{ms}")],
                total_ns: ms * 1_000_000,
            })
            .collect();
        let words = in_words(&stacks);
        assert_eq!(words.len(), MOST_STACKS);
        assert_eq!(words[0], "25.0 ms, 7.7 %: own › f25");
        assert!(words[19].ends_with("f6"), "{}", words[19]);
    }
}
