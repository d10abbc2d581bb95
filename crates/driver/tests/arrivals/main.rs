//! Arrivals as they were drawn, and as they left for real servers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[path = "../common/mod.rs"]
mod common;
mod drawn;
mod kolmogorov;
mod seed;
mod sent;
