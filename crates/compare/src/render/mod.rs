//! Renderers of a comparison. They are pure functions.

mod answer;
mod difference;
mod distribution;
mod elements;
mod page;
mod texts;
mod tree_rows;

use logtrace_common::{UnknownName, inert};
use logtrace_report::render::{draw_markdown, draw_terminal};
use strum::{Display, EnumString, VariantNames};
use thiserror::Error;

use crate::comparison::Comparison;
use crate::render::elements::elements;
use crate::render::page::page;

/// Format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown_format)]
pub enum ComparisonFormat {
    /// Aligned text for a person at a terminal.
    Terminal,
    /// Tables for an issue or a wiki.
    Markdown,
    /// Page with pictures, in one file.
    Html,
    /// Every number.
    Json,
}

/// Error for a comparison that cannot be rendered.
#[derive(Debug, Error)]
pub enum ComparisonError {
    /// Failure to fill the page.
    #[error("cannot fill the page")]
    Html(#[from] askama::Error),
    /// Failure to write the numbers.
    #[error("cannot write the comparison")]
    Json(#[from] serde_json::Error),
}

fn unknown_format(name: &str) -> UnknownName {
    UnknownName::new("format of a comparison", name, ComparisonFormat::VARIANTS)
}

/// Renders a comparison. All of the formats are UTF-8 and end with a newline. Fails never for a comparison of this crate.
pub fn render(
    format: ComparisonFormat,
    comparison: &Comparison,
    color: bool,
) -> Result<String, ComparisonError> {
    Ok(match format {
        ComparisonFormat::Terminal => draw_terminal(elements(comparison), color),
        ComparisonFormat::Markdown => draw_markdown(elements(comparison)),
        ComparisonFormat::Html => page(comparison)?,
        ComparisonFormat::Json => inert::json(&serde_json::to_string_pretty(comparison)?) + "\n",
    })
}
