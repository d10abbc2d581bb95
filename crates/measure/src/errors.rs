//! Errors that a user caused, and errors with their causes in one line.

/// Returns the message of an error followed by its causes, in one line.
pub fn with_causes(error: impl Into<anyhow::Error>) -> String {
    format!("{:#}", error.into())
}

/// Error in the arguments that their parser cannot find.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);
