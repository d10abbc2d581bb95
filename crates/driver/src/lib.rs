//! The load driver: requests at exact times, and what became of each.
//!
//! [`drive()`] issues a workload in an open loop (requests due at times of their own, whatever the server does) or a
//! closed one, and records lag, service and response of every request. [`load()`] makes the tables that the workloads
//! use. The driver knows nothing of tracing, and it never prints.
//!
//! In an open loop everything happens on one thread: the one that waits for a due time writes to the socket, so that no
//! hand-over adds to the lag. The connections of a closed loop are spread over several.
//!
//! Times are nanoseconds of `CLOCK_MONOTONIC`.

mod util;

mod schedule;

mod client;
mod pacing;

mod workloads;

mod load;
mod results;

mod config;
mod engine;
mod error;

mod capacity;

pub use hdrhistogram::Histogram;
pub use logtrace_common::TimeRange;
pub use tokio_util::sync::CancellationToken;

pub use capacity::{CAPACITY_DURATION, CAPACITY_WARMUP, capacity};
pub use client::server_thread::THREAD_QUESTIONS;
pub use client::session_check::SessionError;
pub use client::session_variable::{SessionVariable, SessionVariableError};
pub use client::target::{Address, ConnectError, Target};
pub use config::{DEFAULT_GRACE, DriveConfig};
pub use engine::connection::MAX_RETRIES;
pub use engine::drive::{Outputs, drive};
pub use engine::shard_state::Observer;
pub use error::DriveError;
pub use load::load_tables::{LoadConfig, LoadError, LoadProgress, Loaded, drop_database, load};
pub use pacing::lateness::Lags;
pub use pacing::self_test::{PaceTurn, Waiting, pace_lag};
pub use pacing::self_test_plan::{PACE_RATES, PacePlan, Way, pace_table};
pub use pacing::self_test_table::{PaceRow, PaceTable};
pub use results::outages::{Outage, OutageCause};
pub use results::per_type::Kind;
pub use results::progress::{Progress, Stage, Watch};
pub use results::recorder::{Counts, DISCONNECTED, LATE_NS, Latencies, Recorder, TIMED_OUT};
pub use results::result::{Ended, Measured};
pub use schedule::arrivals::{Arrivals, Offsets, UnknownArrivals};
pub use schedule::pace::Pace;
pub use schedule::rate::{Rate, RateError};
pub use schedule::rate_arg::Offer;
pub use schedule::rate_range::RateRange;
pub use schedule::rate_schedule::{Schedule, ScheduleError, Step};
pub use schedule::replay_file::ArrivalTimes;
pub use util::clock::now_ns;
pub use util::line_file::FileError;
pub use util::random;
pub use util::runtime::RuntimeError;
pub use util::toml_file::{read_toml, toml_line};
pub use workloads::compat::Compat;
pub use workloads::custom::custom_workload::CustomWorkload;
pub use workloads::custom::server_check::Refused;
pub use workloads::dataset::{Dataset, DatasetError};
pub use workloads::keys::distribution::Keys;
pub use workloads::keys::gaussian::{Gaussian, Special};
pub use workloads::keys::pareto::Pareto;
pub use workloads::keys::parse::KeysError;
pub use workloads::keys::zipfian::Zipfian;
pub use workloads::option_error::OptionError;
pub use workloads::options::{Content, Requests, WorkloadOptions};
pub use workloads::protocol::Protocol;
pub use workloads::registry::{UnknownWorkload, WorkloadInfo, workloads};
pub use workloads::sysbench::chosen_statements::Statements;
pub use workloads::sysbench::statement_groups::Group;
pub use workloads::tpcc;
