//! The run document and its renderings.
//!
//! Everything here is pure: no clock, no threads, no root, no server.
//!
//! - `advice`: what to change, and how much time it is about
//! - `document`: `run.json`
//! - `perfetto`: a recording as a trace of Perfetto
//! - `pprof`: commit time by stack as a profile of pprof
//! - `render`: text, pages and drawings

pub mod advice;
pub mod document;
pub mod perfetto;
pub mod pprof;
pub mod render;

pub use document::consistency as check;
pub use document::reading::{JsonError, parse_json};
