//! Load driver: sends requests at exact times and records the result of each.
//!
//! [`drive()`] issues a workload in an open loop (requests are due at fixed times, whatever the server does) or in a
//! closed loop, and records lag, service and response time of every request. [`load()`] creates the tables of a
//! workload. The driver knows nothing of tracing, and it never prints.
//!
//! A rate is paced in four steps: `schedule` computes due times, `engine::request_source` and `engine::dispatcher` give
//! each due request to an idle connection, and `pacing::pacer` sleeps until the next due time. In an open loop all of
//! this happens on one thread: the thread that waits for a due time also writes to the socket, so no hand-over adds to
//! the lag. The connections of a closed loop are spread over several threads.
//!
//! Times are nanoseconds of `CLOCK_MONOTONIC`.
//!
//! Modules, in the order in which data flows:
//!
//! - `util`: Clocks, files, and the runtime on one thread.
//! - `schedule`: Due times: rates, schedules of rates, arrival processes, replayed files.
//! - `pacing`: Waiting until a request is due, and the self-test of this machine.
//! - `client`: Connections to the server.
//! - `workloads`: Requests: statements, random values, and rows of the tables.
//! - `load`: Creating and filling of tables, and reuse of an earlier load.
//! - `results`: Latencies, counts, outages and the interval log.
//! - `config`: Configuration of a drive.
//! - `error`: Reasons why a load, a drive or a check of tables failed.
//! - `engine`: Execution: shards, event loop, dispatch of due requests to connections.
//! - `capacity`: Measurement of a server's capacity.

mod capacity;
mod client;
mod config;
mod engine;
mod error;
#[cfg(test)]
mod fuzz;
mod load;
mod pacing;
mod results;
mod schedule;
mod util;
mod workloads;

pub use hdrhistogram::Histogram;
pub use logtrace_common::TimeRange;
pub use tokio_util::sync::CancellationToken;

pub use capacity::{CAPACITY_PART, CAPACITY_WARMUP, Capacity, capacity, lasting_capacity};
pub use client::server_thread::THREAD_QUESTIONS;
pub use client::target::Target;
pub use config::{DEFAULT_GRACE, DriveConfig};
pub use engine::connection::MAX_RETRIES;
pub use engine::shard_state::Observer;
pub use engine::{DriveOutputs, drive};
pub use error::DriveError;
pub use load::{LoadConfig, LoadProgress, Loaded, drop_database, load};
pub use pacing::lateness::Lateness;
pub use pacing::self_test::{PACE_RATES, PaceMethod, PacePlan, PaceRound, WaitMethod, pace_lag, pace_table};
pub use pacing::self_test_table::{PaceRow, PaceTable};
pub use results::first_failure::FirstFailure;
pub use results::lag_parts::{LATE_NS, LagParts};
pub use results::latencies::Latencies;
pub use results::outages::{Outage, OutageCause};
pub use results::over_time::RequestsOverTime;
pub use results::per_type::Kind;
pub use results::progress::{Progress, Stage, Watch};
pub use results::rate_step::RateStep;
pub use results::recorder::{DISCONNECTED, Recorder, TIMED_OUT};
pub use results::{DriveResult, EndReason};
pub use schedule::arrivals::{Arrivals, Offsets};
pub use schedule::pace::Pace;
pub use schedule::rate::{Rate, RateError};
pub use schedule::rate_arg::RateArg;
pub use schedule::rate_range::RateRange;
pub use schedule::replay_file::ArrivalTimes;
pub use schedule::{Schedule, ScheduleError, ScheduleStep};
pub use util::clock::now_ns;
pub use workloads::OptionError;
pub use workloads::compat::Compat;
pub use workloads::custom::CustomWorkload;
pub use workloads::dataset::Dataset;
pub use workloads::keys::Keys;
pub use workloads::keys::gaussian::{Gaussian, Special};
pub use workloads::keys::pareto::Pareto;
pub use workloads::keys::parse::KeysError;
pub use workloads::keys::zipfian::Zipfian;
pub use workloads::options::{Content, Requests, WorkloadOptions};
pub use workloads::protocol::Protocol;
pub use workloads::registry::{UnknownWorkload, WorkloadInfo, workloads};
pub use workloads::sysbench::chosen_statements::ChosenStatements;
pub use workloads::sysbench::statement_groups::StatementGroup;
pub use workloads::tpcc;

/// Parts on which `scripts/client-cost` compares clients. They are no interface: they may change at any time.
#[doc(hidden)]
pub mod client_parts {
    pub use crate::client::{Call, Conn, StatementHandle};
    pub use crate::pacing::Pacer;
    pub use crate::util::clock::thread_cpu_ns;
    pub use crate::util::runtime::on_this_thread;
}
