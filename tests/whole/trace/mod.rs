//! Tracing a server under a load that is not ours, sysbench's, on real servers: what it counts, that it adds up, that
//! it says what a run says, and that it leaves the server as it was.

mod against_run;
mod counted;
mod elsewhere;
mod found;
mod held;
pub(crate) mod rights;
mod untouched;
