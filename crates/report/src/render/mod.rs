//! A run as text, tables, a page or a drawing. Each renderer is a pure function of the run document and, where it
//! draws stacks, of the folded ones; whoever calls it writes the file.

mod advice;
mod csv;
mod error;
mod flamegraph;
mod folded;
mod html;
mod json;
mod layout;
mod markdown;
mod palette;
mod sections;
mod sparkline;
mod style;
mod table;
mod terminal;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::document::Document;
use crate::totals::by_stack::{StackTotals, Whole};

pub use error::RenderError;
pub use flamegraph::flamegraph;
pub use folded::{FoldedError, parse as parse_folded};
pub use json::{JsonError, parse as parse_json};

/// What a run can be rendered as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned text for a person at a terminal, at most 100 columns wide.
    Terminal,
    /// `run.json`: every number.
    Json,
    /// One page with everything in it.
    Html,
    /// The terminal's tables for an issue or a wiki.
    Markdown,
    /// The causes, one row each, for a spreadsheet or a script.
    Csv,
    /// Time by stack, one line each, for flame graph tools.
    Folded(Whole),
}

/// What is rendered, and how.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The run.
    pub document: &'a Document,
    /// Time by stack: [`crate::totals::breakdown::Breakdown::stacks`], or what [`parse_folded`] read back. Used by
    /// [`Format::Folded`] and [`Format::Html`]; empty when the run was not traced.
    pub stacks: &'a StackTotals,
    /// Whether [`Format::Terminal`] may use colours.
    pub color: bool,
}

/// A word that names no format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no report format; choose {choices}", choices = choices())]
pub struct UnknownFormat(String);

/// The words that choose a format, in a sentence.
fn choices() -> String {
    let [first @ .., last] = Format::ALL.map(Format::as_str);
    format!("{} or {last}", first.join(", "))
}

/// Renders a run. All of the formats are UTF-8 and end with a newline.
pub fn render(format: Format, input: Input<'_>) -> Result<String, RenderError> {
    match format {
        Format::Terminal => Ok(terminal::render(input.document, input.color)),
        Format::Json => json::render(input.document),
        Format::Html => html::render(input.document, input.stacks),
        Format::Markdown => Ok(markdown::render(input.document)),
        Format::Csv => csv::render(input.document),
        Format::Folded(whole) => Ok(folded::render(whole, input.stacks.of(whole))),
    }
}

impl Format {
    /// All formats, in the order of the help text.
    pub const ALL: [Self; 8] = [
        Self::Terminal,
        Self::Json,
        Self::Html,
        Self::Markdown,
        Self::Csv,
        Self::Folded(Whole::Commit),
        Self::Folded(Whole::Response),
        Self::Folded(Whole::Statement),
    ];

    /// The word that chooses it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Json => "json",
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Folded(Whole::Commit) => "folded",
            Self::Folded(Whole::Response) => "folded-response",
            Self::Folded(Whole::Statement) => "folded-statement",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        let named = Self::ALL.into_iter().find(|format| format.as_str() == word);
        named.ok_or_else(|| UnknownFormat(word.to_owned()))
    }
}
