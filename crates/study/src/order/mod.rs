//! Order of the measurements, the servers that they share, and their cost.

pub(crate) mod cost_estimate;
#[cfg(test)]
mod full_cells;
pub(crate) mod living_servers;
pub(crate) mod measurement_order;
pub(crate) mod pilot;
pub(crate) mod server_reuse;
pub(crate) mod study_steps;
