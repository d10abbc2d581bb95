//! Error of the renderers.

use logtrace_attribution::breakdown::Whole;
use thiserror::Error;

use crate::document::Document;
use crate::render::sections::response;

/// Error for a run that cannot be rendered.
#[derive(Debug, Error)]
pub enum RenderError {
    /// Drawing without stacks.
    #[error("nothing of this was traced, so there are no stacks to draw; trace a run that commits")]
    NoStacks,
    /// Format of a part that the run does not have.
    #[error("{what} cannot be shown: {why}")]
    Absent {
        /// Part.
        what: &'static str,
        /// Reason, and what to do.
        why: String,
    },
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

impl RenderError {
    /// Returns the error for stacks that the run does not have.
    pub(crate) fn no_stacks(whole: Whole, document: &Document) -> Self {
        let (what, why) = match whole {
            Whole::Commit => ("the commit time by stack", no_commits(document)),
            Whole::Response => ("the response time by stack", no_response(document)),
            Whole::Statement => ("the time of statements by stack", no_statements(document)),
        };
        Self::Absent { what, why }
    }

    /// Returns the error for causes that the run does not have.
    pub(crate) fn no_causes(document: &Document) -> Self {
        Self::Absent {
            what: "the causes of commits",
            why: no_commits(document),
        }
    }
}

fn no_commits(document: &Document) -> String {
    match &document.commits {
        Some(_) => "no commit ended while it was traced. Run or trace a load that commits",
        None => "it was not traced, or did not finish. Run without --no-trace, or trace the server",
    }
    .to_owned()
}

fn no_response(document: &Document) -> String {
    match (&document.commits, &document.driver) {
        (None, _) => no_commits(document),
        (Some(_), None) => "a trace knows no requests: only a run has response times".to_owned(),
        (Some(_), Some(_)) => response::reason(document).unwrap_or_else(|| {
            "no traced request could be joined with the server's thread. Run longer, or without --sample"
                .to_owned()
        }),
    }
}

fn no_statements(document: &Document) -> String {
    match (&document.commits, &document.statements) {
        (None, _) => no_commits(document),
        (Some(_), None) => "statements are traced with --detail full alone".to_owned(),
        (Some(_), Some(_)) => "no statement ended while it was traced. Trace for longer".to_owned(),
    }
}
