//! Due times of requests: rates, schedules of rates, and arrivals drawn from them.

pub(crate) mod arrivals;
pub(crate) mod pace;
pub(crate) mod rate;
pub(crate) mod rate_arg;
pub(crate) mod rate_integral;
pub(crate) mod rate_range;
pub(crate) mod rate_schedule;
pub(crate) mod replay_file;
pub(crate) mod schedule_file;
