//! Renderers of a comparison. They are pure functions.

mod answer;
mod difference;
mod elements;
mod error;
mod page;
mod steps;
mod texts;

use logtrace_common::{UnknownName, inert};
use logtrace_report::render::{draw_markdown, draw_terminal};
use strum::{Display, EnumString, VariantNames};

use crate::comparison::Comparison;
use crate::render::elements::elements;
use crate::render::page::page;

pub use self::error::RenderError;

/// Format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown_format)]
pub enum Format {
    /// Aligned text for a person at a terminal.
    Terminal,
    /// Tables for an issue or a wiki.
    Markdown,
    /// Page with pictures, in one file.
    Html,
    /// Every number.
    Json,
}

fn unknown_format(name: &str) -> UnknownName {
    UnknownName::new("format of a comparison", name, Format::VARIANTS)
}

/// Renders a comparison. All of the formats are UTF-8 and end with a newline. Fails never for a comparison of this crate.
pub fn render(format: Format, comparison: &Comparison, color: bool) -> Result<String, RenderError> {
    Ok(match format {
        Format::Terminal => draw_terminal(elements(comparison), color),
        Format::Markdown => draw_markdown(elements(comparison)),
        Format::Html => page(comparison)?,
        Format::Json => inert::json(&serde_json::to_string_pretty(comparison)?) + "\n",
    })
}
