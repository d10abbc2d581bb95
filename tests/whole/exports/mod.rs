//! Exports of real runs.

mod closed_pipe;
mod dataset;
