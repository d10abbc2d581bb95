//! That logtrace's numbers are those of others who measure the same calls at the same time: bpftrace, Performance
//! Schema.

mod bpftrace;
mod commit_stage;
mod cpu_time;
mod fsyncs;
mod run_queue;
mod traced;
