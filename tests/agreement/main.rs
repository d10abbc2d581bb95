//! That logtrace's numbers are those of others who measure the same calls at the same time: bpftrace, Performance
//! Schema.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../common/mod.rs"]
mod common;

mod bpftrace;
mod commit_stage;
mod fsyncs;
mod traced;
#[path = "../../benches/overhead/tools/with_tracefs.rs"]
mod with_tracefs;
