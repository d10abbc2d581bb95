//! The page of a real run in a real browser, and the functions of its script.

pub(crate) mod accessibility;
pub(crate) mod browser;
mod firefox;
mod functions;
mod keyboard;
mod paper;
mod redraw;
mod selection;
