//! Parts that logtrace's benchmarks and its tests share: a server under load, and logtrace beside other programs.
//!
//! - [`server`]: a private server that several measurements share.
//! - [`load`]: a steady load on it.
//! - [`tables`]: the tables that logtrace's driver and sysbench both use.
//! - [`driven`]: one run of logtrace's driver.
//! - [`sysbench_run`]: the command line of sysbench and the numbers in its output.
//! - [`tracing`]: logtrace's tracer at work on the server.
//! - [`child`]: another tool at work on it.
//! - [`churn`]: connections that come and go.
//! - [`footprint`]: memory, descriptors, threads and BPF maps of a process.
//! - [`slope`]: the growth of a series, with its error.
//! - [`with_tracefs`]: programs that need tracefs.
//! - [`pair`]: throughput and CPU time with a tracer and without it.
//! - [`window`]: requests over a time, and their CPU time.
//! - [`median`]: the median of such pairs, with its confidence interval.
//! - [`lag`]: the lag of logtrace's driver and of sysbench, seen by bpftrace.

pub mod child;
pub mod churn;
pub mod driven;
pub mod footprint;
pub mod lag;
pub mod load;
pub mod median;
pub mod pair;
pub mod server;
pub mod slope;
pub mod sysbench_run;
pub mod tables;
pub mod tracing;
pub mod window;
pub mod with_tracefs;

pub use load::{CONNECTIONS, SteadyLoad};
pub use median::Median;
pub use pair::TracerPair;
pub use server::SharedServer;
pub use tracing::AttachedTracer;
pub use window::{CpuTime, RequestsAndCpu};
