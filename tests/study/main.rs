//! `logtrace study` as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod built_in;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod interrupted;
mod refused;
mod rotation;
mod studied;
mod whole;
