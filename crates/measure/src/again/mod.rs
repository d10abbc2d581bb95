//! A recording, explained again by this version.

mod document;
mod explain;

pub use explain::explain_again;
