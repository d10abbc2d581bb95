//! How late requests leave for real servers, and how that is seen of sysbench.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../benches/lag/sent/mod.rs"]
mod sent;

mod matching;
mod servers;
mod stamps;
