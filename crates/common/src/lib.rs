//! Types that several parts of logtrace share.
//!
//! This crate is the leaf of the workspace: it imports none of the others, and reads no clock. Without its features it does no
//! I/O.

#[cfg(feature = "client")]
mod client;
mod connection;
mod detail;
mod file_class;
mod file_error;
mod flavor;
pub mod inert;
#[cfg(feature = "inputs")]
mod input;
mod names;
mod over_time;
#[cfg(feature = "processes")]
pub mod process;
#[cfg(feature = "programs")]
mod program_file;
#[cfg(feature = "random")]
pub mod random;
mod sampling;
pub mod thread_handling;
mod time_range;
mod tls;
#[cfg(feature = "toml")]
mod toml_file;
pub mod units;
mod variable;

#[cfg(feature = "client")]
pub use client::caught::keep_caught_panics_quiet;
#[cfg(feature = "client")]
pub use client::error::{ConnectError, KeyRefused};
#[cfg(feature = "client")]
pub use client::server_conn::ServerConn;
#[cfg(feature = "client")]
pub use client::server_stream::{CONNECT_TIMEOUT, NotTheServer, Owner, OwnerProcess, ServerStream};
#[cfg(feature = "client")]
pub use client::session_settings::SessionUse;
#[cfg(feature = "client")]
pub use client::told::told;
pub use connection::{Connection, Endpoint, PASSWORD_VARIABLE, Password};
pub use detail::Detail;
pub use file_class::{FileClass, LogNames};
pub use file_error::FileError;
pub use flavor::{Flavor, parse_version_output, version_number};
#[cfg(feature = "inputs")]
pub use input::{InputDir, InputError, InputFile, InputKind};
pub use names::UnknownName;
pub use over_time::heat_map::HeatMap;
pub use over_time::interval_columns::IntervalColumns;
pub use over_time::latency_row::{latency_row, latency_row_start_ns};
pub use over_time::stall_bucket::{MAX_STALL_BUCKETS, STALL_BUCKET_NS, stall_bucket};
pub use over_time::time_columns::{MOST_COLUMNS, TimeColumn, TimeColumns};
#[cfg(feature = "programs")]
pub use program_file::{NamedSymbol, ProgramFile, Symbol, stack_depths, uprobe_depths};
pub use sampling::Sampling;
pub use time_range::TimeRange;
pub use tls::{SslMode, Tls};
#[cfg(feature = "toml")]
pub use toml_file::{read_toml, toml_line};
pub use variable::{Variable, VariableError};
