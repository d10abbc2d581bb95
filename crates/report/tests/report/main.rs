//! The report's public interface: attribution and renderers.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test by panicking")]

/// Files of run directories that were damaged: they are rendered or refused.
mod fuzz {
    mod documents;
}

mod perfetto;

/// Every renderer on runs as they are: whole, not traced, with losses, without commits, and without load.
mod render {
    mod absent;
    mod advice;
    pub(crate) mod analysed;
    mod check;
    mod cpu;
    mod devices;
    mod enclosed;
    mod figures;
    mod golden;
    mod inert;
    pub(crate) mod samples;
    mod schema;
    mod size;
    mod speedscope;
    mod stages;
    mod sums;
}
