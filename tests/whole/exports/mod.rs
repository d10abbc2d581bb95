//! Exports of real runs.

mod again;
mod closed_pipe;
mod dataset;
mod perfetto;
mod pprof;
