//! A recording, explained again by this version.

mod document;
mod explain;

pub(crate) use explain::explain_again;
