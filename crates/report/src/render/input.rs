//! Input of all renderers.

use logtrace_attribution::breakdown::{OverTime, StackTotals};

use crate::document::Document;

/// Run to render.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The run.
    pub document: &'a Document,
    /// Time by stack: [`logtrace_attribution::breakdown::Breakdown::stacks`], or the result of [`super::parse_folded`]. Used by the folded
    /// formats and [`super::Format::Html`]; empty if the run was not traced.
    pub stacks: &'a StackTotals,
    /// Commits over time, for [`super::Format::Html`] and the answer of the other texts; absent if the run was not traced.
    pub over_time: Option<&'a OverTime>,
    /// Whether [`super::Format::Terminal`] may use colours.
    pub color: bool,
    /// Whether [`super::Format::Terminal`] and [`super::Format::Markdown`] have a row for each cause, too.
    pub all: bool,
}
