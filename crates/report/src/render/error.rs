//! Error of the renderers.

use thiserror::Error;

/// Error for a run that cannot be rendered.
#[derive(Debug, Error)]
pub enum RenderError {
    /// Drawing without stacks.
    #[error("nothing of this was traced, so there are no stacks to draw; trace a run that commits")]
    NoStacks,
    /// Damaged stacks.
    #[error("the folded stacks sum to more than 2^64 ns; their file is damaged")]
    StacksOverflow,
    /// Failure to draw the flame graph.
    #[error("cannot draw the flame graph")]
    Flamegraph(#[source] std::io::Error),
    /// Failure to fill the page.
    #[error("cannot fill the page")]
    Html(#[from] askama::Error),
    /// Failure to write a picture.
    #[error("cannot write a picture")]
    Png(#[from] png::EncodingError),
    /// Failure to write the table.
    #[error("cannot write the table of causes")]
    Csv(#[from] ::csv::Error),
    /// Failure to write the document.
    #[error("cannot write the document")]
    Json(#[from] serde_json::Error),
}
