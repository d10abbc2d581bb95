//! Order of the measurements, the servers that they share, and their cost.

pub(crate) mod cost_estimate;
pub(crate) mod server_reuse;
pub(crate) mod turns;
