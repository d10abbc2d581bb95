//! Renderers of a run: text, tables, a page and drawings. Each is a pure function of the run document and, if it draws
//! stacks, of the folded ones.

mod advice;
mod csv;
mod drawing;
mod elements;
mod error;
mod flamegraph;
mod folded;
mod html;
mod layout;
mod markdown;
mod over_time;
mod page;
mod sections;
mod speedscope;
mod style;
mod table;
mod terminal;
mod unit;

use logtrace_attribution::breakdown::{OverTime, StackTotals, Whole};
use logtrace_attribution::cause::Wait;
use logtrace_attribution::rgb::hex;
use logtrace_common::{UnknownName, inert};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

use crate::document::Document;

/// Returns the colour of a wait in all pages and drawings, such as `#0072b2`.
pub fn wait_color(wait: Wait) -> String {
    hex(wait.color())
}

pub use elements::{Element, draw_markdown, draw_terminal};
pub use error::RenderError;
pub use flamegraph::flamegraph;
pub use folded::{FoldedError, parse as parse_folded, render as render_folded};
pub use page::{DURATION, PageError, PageHead, read_page};
pub use sections::headline::title_line;
pub use unit::Unit;

/// Format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumIter, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown_format)]
pub enum Format {
    /// Aligned text for a person at a terminal, at most 100 columns wide.
    Terminal,
    /// `run.json`: every number.
    Json,
    /// Page with all reports and drawings in it.
    Html,
    /// Tables of the terminal's report for an issue or a wiki.
    Markdown,
    /// Causes, one row each, for a spreadsheet or a script.
    Csv,
    /// Commit time by stack, one line each, for flame graph tools.
    Folded,
    /// Response time by stack.
    FoldedResponse,
    /// Time of statements outside their commits by stack.
    FoldedStatement,
    /// All stacks, for the viewer speedscope.
    Speedscope,
}

fn unknown_format(name: &str) -> UnknownName {
    UnknownName::new("report format", name, Format::VARIANTS)
}

/// Run to render.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The run.
    pub document: &'a Document,
    /// Time by stack: [`logtrace_attribution::breakdown::Breakdown::stacks`], or the result of [`parse_folded`]. Used by the folded
    /// formats and [`Format::Html`]; empty if the run was not traced.
    pub stacks: &'a StackTotals,
    /// Commits over time, for [`Format::Html`]; absent if the run was not traced.
    pub over_time: Option<&'a OverTime>,
    /// Whether [`Format::Terminal`] may use colours.
    pub color: bool,
}

/// Renders a run. All of the formats are UTF-8 and end with a newline.
pub fn render(format: Format, input: Input<'_>) -> Result<String, RenderError> {
    match format {
        Format::Terminal => Ok(terminal::render(input.document, input.color)),
        Format::Json => Ok(inert::json(&serde_json::to_string_pretty(input.document)?) + "\n"),
        Format::Html => Ok(inert::lines(&html::render(
            input.document,
            input.stacks,
            input.over_time,
        )?)),
        Format::Markdown => Ok(markdown::render(input.document)),
        Format::Csv => csv::render(input.document),
        Format::Folded => Ok(folded::render(Whole::Commit, input.stacks)),
        Format::FoldedResponse => Ok(folded::render(Whole::Response, input.stacks)),
        Format::Speedscope => Ok(inert::json(&speedscope::render(input.document, input.stacks)?)),
        Format::FoldedStatement => Ok(folded::render(Whole::Statement, input.stacks)),
    }
}
