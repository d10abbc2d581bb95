//! Why a run could not be rendered.

use thiserror::Error;

/// Why a run could not be rendered.
#[derive(Debug, Error)]
pub enum RenderError {
    /// There is nothing to draw.
    #[error("nothing of this was traced, so there are no stacks to draw; trace a run that commits")]
    NoStacks,
    /// The stacks are damaged.
    #[error("the folded stacks sum to more than 2^64 ns; their file is damaged")]
    StacksOverflow,
    /// The flame graph could not be drawn.
    #[error("cannot draw the flame graph: {0}")]
    Flamegraph(std::io::Error),
    /// The page could not be filled.
    #[error("cannot fill the page: {0}")]
    Html(#[from] askama::Error),
    /// The table could not be written.
    #[error("cannot write the table of causes: {0}")]
    Csv(#[from] ::csv::Error),
    /// The document could not be written.
    #[error("cannot write the document: {0}")]
    Json(#[from] serde_json::Error),
}
