//! The program as a user runs it, against real servers. Needs root, MySQL and MariaDB, sysbench, bpftrace,
//! Chromium and node (scripts/setup --tests): what is missing fails a test.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and one that fails shows what it saw"
)]

mod common;

mod agreement;
mod arrivals;
mod chaos;
mod containers;
mod custom;
mod described;
mod exports;
mod faults;
mod frozen_disk;
mod groups;
mod join;
mod known_delay;
mod laboratory;
mod lag;
mod main_job;
mod manual;
mod overhead;
mod pace;
mod page;
mod progress;
mod reasons;
mod response;
mod sampled;
mod semisync;
mod shapes;
mod study;
mod sysbench_options;
mod tpcc;
mod trace;
mod trust;
