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

mod arrival_times;
mod arrivals;
mod backoff;
mod batches;
mod board;
mod capacity;
mod client;
mod clock;
mod compat;
mod config;
mod course;
mod custom;
mod dataset;
mod decimal;
mod descriptor;
mod draw;
mod drive;
#[cfg(test)]
mod fit;
mod floor;
mod interval_log;
mod keys;
mod kinds;
mod lags;
mod lead;
mod lines;
mod load;
mod loaded;
mod measured;
mod offer;
mod outages;
mod pace_lag;
mod pace_table;
mod pace_turns;
mod pacer;
mod part;
pub mod random;
mod rate;
mod rate_range;
mod reconnect;
mod recorder;
mod runtime;
mod schedule;
mod schedule_file;
mod schema;
mod seconds;
mod server_thread;
mod session;
mod session_check;
mod session_variable;
mod shard;
mod share;
mod source;
mod stages;
mod target;
mod ticks;
mod toml_text;
pub mod tpcc;
mod watch;
mod worker;
mod workloads;

pub use hdrhistogram::Histogram;
pub use tokio_util::sync::CancellationToken;

pub use arrival_times::ArrivalTimes;
pub use arrivals::{Arrivals, Offsets, UnknownArrivals};
pub use capacity::{CAPACITY_DURATION, CAPACITY_WARMUP, capacity};
pub use clock::now_ns;
pub use compat::{Compat, UnknownCompat};
pub use config::{DEFAULT_GRACE, DriveConfig, Pace, Span};
pub use custom::{Custom, Refused};
pub use dataset::{Dataset, DatasetError};
pub use drive::{DriveError, Outputs, drive};
pub use floor::Observer;
pub use keys::{Gaussian, Keys, KeysError, Pareto, Special, Zipfian};
pub use kinds::Kind;
pub use lags::Lags;
pub use lines::FileError;
pub use load::{LoadConfig, LoadError, LoadProgress, Loaded, drop_database, load};
pub use measured::{Ended, Measured};
pub use offer::Offer;
pub use outages::{Outage, OutageCause};
pub use pace_lag::{PaceTurn, Waiting, pace_lag};
pub use pace_table::{PaceRow, PaceTable};
pub use pace_turns::{PACE_RATES, PacePlan, Way, pace_table};
pub use rate::{Rate, RateError};
pub use rate_range::RateRange;
pub use recorder::{Counts, DISCONNECTED, LATE_NS, Latencies, Recorder, TIMED_OUT};
pub use runtime::RuntimeError;
pub use schedule::{Schedule, ScheduleError, Step};
pub use server_thread::THREAD_QUESTIONS;
pub use session_variable::{SessionVariable, SessionVariableError};
pub use target::{Address, ConnectError, Target};
pub use toml_text::{read_toml, toml_line};
pub use watch::{Progress, Stage, Watch};
pub use worker::MAX_RETRIES;
pub use workloads::{
    Content, Group, OptionError, Protocol, Requests, Statements, UnknownProtocol, UnknownWorkload,
    WorkloadInfo, WorkloadOptions, workloads,
};
