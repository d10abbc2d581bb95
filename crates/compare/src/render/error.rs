//! Error of the renderers.

use thiserror::Error;

/// Error for a comparison that cannot be rendered.
#[derive(Debug, Error)]
pub enum RenderError {
    /// Failure to fill the page.
    #[error("cannot fill the page")]
    Html(#[from] askama::Error),
    /// Failure to write the numbers.
    #[error("cannot write the comparison")]
    Json(#[from] serde_json::Error),
}
