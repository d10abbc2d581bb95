//! How late requests leave for real servers, and how that is seen of sysbench.

mod cpus;
mod matching;
mod servers;
mod stamps;
