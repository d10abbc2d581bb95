//! Trace in the format of Perfetto (protos/perfetto/trace of its sources): threads, causes, wake-ups and flushes by time.

mod chosen;
mod commits;
mod exemplars;
mod export;
mod messages;
mod pieces;
mod selection;
mod slices;
mod trace_file;
mod tracks;

pub use exemplars::export_exemplars;
pub use export::{ExportedTrace, TraceExportError, export};
pub use selection::Selection;
