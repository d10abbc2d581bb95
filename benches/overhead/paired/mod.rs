//! Pairs of windows under one load, traced and untraced, and what their ratios say.
//!
//! The benchmark (benches/overhead) and the acceptance check (tests/overhead.rs) both include this.

mod load;
mod median;
pub(crate) mod pair;
mod server;
#[path = "../../../src/run/target.rs"]
mod target;
pub(crate) mod tracing;

pub(crate) use load::{CONNECTIONS, SteadyLoad};
pub(crate) use median::Median;
pub(crate) use pair::Pair;
pub(crate) use server::SharedServer;
pub(crate) use tracing::Tracing;
