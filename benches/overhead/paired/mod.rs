//! Pairs of runs on one server, traced and untraced, and what their ratios say.
//!
//! The benchmark (benches/overhead) and the acceptance check (tests/overhead.rs) both include this.

mod median;
mod pair;
mod server;

pub(crate) use median::Median;
pub(crate) use pair::{Pair, Window};
pub(crate) use server::SharedServer;
