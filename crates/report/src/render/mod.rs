//! Renderers of a run: text, tables, a page and drawings. Each is a pure function of the run document and, if it draws
//! stacks, of the folded ones.

mod bars;
mod csv;
mod drawing;
mod elements;
mod error;
mod flamegraph;
mod folded;
mod html;
mod input;
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
mod value_axis;
mod wait_order;
mod wrapping;

use logtrace_attribution::breakdown::Whole;
use logtrace_common::{UnknownName, inert};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

pub use bars::wait_color;
pub use elements::{Element, draw_markdown, draw_terminal};
pub use error::RenderError;
pub use flamegraph::flamegraph;
pub use folded::{FoldedError, parse as parse_folded, render as render_folded};
pub use input::Input;
pub use page::{DURATION, PageError, PageHead, read_page, with_contents};
pub use sections::answer::held_up;
pub use sections::headline::title_line;
pub use unit::Unit;
pub use value_axis::ValueAxis;

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

impl Format {
    /// Returns whether the format needs the stacks of [`Input`].
    pub fn draws_stacks(self) -> bool {
        match self {
            Self::Terminal | Self::Json | Self::Markdown | Self::Csv => false,
            Self::Html | Self::Folded | Self::FoldedResponse | Self::FoldedStatement | Self::Speedscope => {
                true
            }
        }
    }
}

fn unknown_format(name: &str) -> UnknownName {
    UnknownName::new("report format", name, Format::VARIANTS)
}

/// Renders a run. All of the formats are UTF-8 and end with a newline. A format of a part that the run does not have is an error
/// that says why.
pub fn render(format: Format, input: Input<'_>) -> Result<String, RenderError> {
    match format {
        Format::Terminal => Ok(terminal::render(input)),
        Format::Json => Ok(inert::json(&serde_json::to_string_pretty(input.document)?) + "\n"),
        Format::Html => Ok(inert::lines(&html::render(
            input.document,
            input.stacks,
            input.over_time,
        )?)),
        Format::Markdown => Ok(markdown::render(input)),
        Format::Csv if input.document.causes.is_empty() => Err(RenderError::no_causes(input.document)),
        Format::Csv => csv::render(input.document),
        Format::Folded => folded_of(Whole::Commit, input),
        Format::FoldedResponse => folded_of(Whole::Response, input),
        Format::Speedscope => Ok(inert::json(&speedscope::render(input.document, input.stacks)?)),
        Format::FoldedStatement => folded_of(Whole::Statement, input),
    }
}

/// Renders stacks, of which there must be some: an empty text would not say why it is empty.
fn folded_of(whole: Whole, input: Input<'_>) -> Result<String, RenderError> {
    match input.stacks.of(whole).is_empty() {
        true => Err(RenderError::no_stacks(whole, input.document)),
        false => Ok(folded::render(whole, input.stacks)),
    }
}
