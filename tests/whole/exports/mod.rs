//! Exports of real runs.

mod dataset;
