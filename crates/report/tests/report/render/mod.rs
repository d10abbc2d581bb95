//! Every renderer on runs as they are: whole, not traced, with losses, without commits, and without load.

mod advice;
pub(crate) mod analysed;
mod check;
mod cpu;
mod devices;
mod enclosed;
mod golden;
mod inert;
pub(crate) mod samples;
mod schema;
mod size;
mod speedscope;
mod sums;
