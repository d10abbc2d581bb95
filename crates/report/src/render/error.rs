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
    #[error("cannot draw the flame graph")]
    Flamegraph(#[source] std::io::Error),
    /// The page could not be filled.
    #[error("cannot fill the page")]
    Html(#[from] askama::Error),
    /// The table could not be written.
    #[error("cannot write the table of causes")]
    Csv(#[from] ::csv::Error),
    /// The document could not be written.
    #[error("cannot write the document")]
    Json(#[from] serde_json::Error),
}
