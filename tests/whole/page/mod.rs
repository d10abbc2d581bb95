//! The page of a real run in a real browser, and the functions of its script.

mod accessibility;
mod browser;
mod functions;
mod selection;
