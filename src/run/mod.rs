//! One measured execution: from checked configuration to written report.

mod caveats;
mod config;
mod disk;
mod document;
mod explainer;
mod give_back;
mod interrupts;
mod load;
mod measure;
mod outputs;
mod preflight;
mod progress;
mod storage;

pub(crate) use config::RunConfig;
pub(crate) use document::document;
pub(crate) use interrupts::Interrupts;
pub(crate) use measure::{Raw, measure};
pub(crate) use outputs::{Outputs, discard};
pub(crate) use preflight::preflight;
