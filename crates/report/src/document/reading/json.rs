//! Reading of `run.json`.

use serde::Deserialize;
use thiserror::Error;

use crate::document::consistency::Imbalance;
use crate::document::reading::schema_1::upgrade;
use crate::document::{Document, SCHEMA};

/// Error for text that is not a run document.
#[derive(Debug, Error)]
pub enum JsonError {
    /// Text that is not JSON, or has a field that is missing or of another type.
    #[error("run.json cannot be read")]
    Syntax(#[from] serde_json::Error),
    /// Document of another version of logtrace.
    #[error(
        "run.json has schema {0}, this logtrace reads 1 and {SCHEMA}: use the version of logtrace that wrote it"
    )]
    Schema(u32),
    /// Document with parts that do not add up.
    #[error("run.json does not add up, so it was changed after the run or written by a defect")]
    Imbalance(#[from] Imbalance),
}

/// Reads `run.json`, also one of schema 1, and checks that its parts add up.
pub fn parse_json(text: &str) -> Result<Document, JsonError> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    // The version comes first: a document of another version may differ in any other field.
    let Version { schema } = serde_json::from_str(text)?;
    let document: Document = match schema {
        SCHEMA => serde_json::from_str(text)?,
        1 => serde_json::from_value(upgrade(serde_json::from_str(text)?))?,
        other => return Err(JsonError::Schema(other)),
    };
    document.check()?;
    Ok(document)
}
