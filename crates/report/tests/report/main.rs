//! The report's public interface: attribution and renderers.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test by panicking")]

mod fuzz;
mod perfetto;
mod render;
