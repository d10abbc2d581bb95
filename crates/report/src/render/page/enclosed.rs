//! Numbers of a run inside its page, so that a page that somebody sent can be compared.

use logtrace_attribution::breakdown::{OverTime, OverTimeError};
use logtrace_attribution::deflated::{deflated, inflated};
use serde::Deserialize;
use thiserror::Error;

use crate::document::Document;
use crate::document::reading::{JsonError, parse_json};
use crate::render::error::RenderError;

/// Beginnings of the elements of report.html with `run.json` and with the commits over time.
const RUN: &str = "<script type=\"application/octet-stream\" id=\"run-json\">";
const OVER_TIME: &str = "<script type=\"application/octet-stream\" id=\"over-time-data\">";

/// Error for text that is not the page of a run.
#[derive(Debug, Error)]
pub enum PageError {
    /// Page without the numbers of a run.
    #[error(
        "it has no numbers of a run in it: it is no page of logtrace, or one of an older version. Use the run directory"
    )]
    Missing,
    /// Numbers that were changed or cut.
    #[error("its numbers are damaged")]
    Damaged,
    /// `run.json` that cannot be understood.
    #[error(transparent)]
    Run(#[from] JsonError),
    /// Commits over time that cannot be understood.
    #[error("its commits over time cannot be understood")]
    OverTime(#[from] OverTimeError),
}

/// Returns `run.json` as a text for the page.
pub(in crate::render) fn enclosed(document: &Document) -> Result<String, RenderError> {
    let text = serde_json::to_string(document)?;
    Ok(deflated(text.as_bytes()).map_err(serde_json::Error::io)?)
}

/// Reads the numbers of a page. Requests over time are not in it.
pub fn read_page(page: &str) -> Result<(Document, Option<OverTime>), PageError> {
    let document = parse_json(&text(element(page, RUN).ok_or(PageError::Missing)?)?)?;
    let over_time = element(page, OVER_TIME).map(|data| over_time(data, &document));
    Ok((document, over_time.transpose()?))
}

fn over_time(data: &str, document: &Document) -> Result<OverTime, PageError> {
    #[derive(Deserialize)]
    struct EnclosedData {
        over_time: OverTime,
    }
    let data: EnclosedData = serde_json::from_str(&text(data)?).map_err(OverTimeError::from)?;
    Ok(data.over_time.checked(document.sums())?)
}

fn text(deflated: &str) -> Result<String, PageError> {
    let bytes = inflated(deflated).ok_or(PageError::Damaged)?;
    String::from_utf8(bytes).map_err(|_| PageError::Damaged)
}

/// Returns the text of an element. It has no other element in it.
fn element<'a>(page: &'a str, beginning: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(beginning)?;
    rest.split_once("</script>").map(|(text, _)| text)
}
