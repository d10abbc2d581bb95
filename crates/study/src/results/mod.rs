//! Results of measurements: figures, causes, stalls and conditions.

pub(crate) mod conditions;
pub(crate) mod figure;
pub(crate) mod measurement_result;
pub(crate) mod stall_kind;
pub(crate) mod stalls;
pub(crate) mod study_results;
pub(crate) mod throughput_curve;
pub(crate) mod turn_result;
pub(crate) mod window_series;

#[cfg(test)]
mod tests;
