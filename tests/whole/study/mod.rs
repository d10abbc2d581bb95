//! `logtrace study` as a user runs it.

mod built_in;
mod faults;
mod interrupted;
mod refused;
mod rotation;
mod short_turns;
pub(crate) mod studied;
mod whole;
