//! `run.json`, written and read back.

use serde::Deserialize;
use thiserror::Error;

use crate::document::consistency::Imbalance;
use crate::document::{Document, SCHEMA};
use crate::render::error::RenderError;

/// Why text is not a run document.
#[derive(Debug, Error)]
pub enum JsonError {
    /// It is not JSON, or a field is missing or of another type.
    #[error("run.json cannot be read")]
    Syntax(#[from] serde_json::Error),
    /// Another version of logtrace wrote it.
    #[error(
        "run.json has schema {0}, this logtrace reads {SCHEMA}: use the version of logtrace that wrote it"
    )]
    Schema(u32),
    /// Its parts do not add up.
    #[error("run.json does not add up, so it was changed after the run or written by a defect")]
    Imbalance(#[from] Imbalance),
}

/// Indented JSON.
pub(crate) fn render(document: &Document) -> Result<String, RenderError> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}

/// Reads `run.json` and checks that its parts add up.
pub fn parse(text: &str) -> Result<Document, JsonError> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    // Asked first: a document of another version may differ in any other field.
    let Version { schema } = serde_json::from_str(text)?;
    if schema != SCHEMA {
        return Err(JsonError::Schema(schema));
    }
    let document: Document = serde_json::from_str(text)?;
    document.check()?;
    Ok(document)
}
