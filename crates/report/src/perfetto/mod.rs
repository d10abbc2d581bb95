//! Trace in the format of Perfetto (protos/perfetto/trace of its sources): threads, causes, wake-ups and flushes by time.

mod commits;
mod export;
mod messages;
mod selection;
mod slices;
mod trace_file;

pub use export::{ExportError, Exported, export};
pub use selection::Selection;
