//! What every measurement of a server has in common, whoever makes the load: tracing it, telling what it is, and
//! writing what was seen.

mod document;
mod exchange;
mod explainer;
mod finding;
mod interrupts;
mod observed;
mod outputs;
mod place;
mod preflight;
mod progress;
mod tracing;
mod window;

pub(crate) use document::{Measured, document};
pub(crate) use exchange::Exchange;
pub(crate) use finding::{Finding, degrading, is_degrading, of_tracing, share, telling};
pub(crate) use interrupts::{Interrupted, Interrupts};
pub(crate) use observed::Observed;
pub(crate) use outputs::{Outputs, discard};
pub(crate) use place::device_of;
pub(crate) use preflight::insist;
pub(crate) use progress::Line;
pub(crate) use tracing::{Tracing, Wanted};
pub(crate) use window::{check_duration, checked_tracing};
