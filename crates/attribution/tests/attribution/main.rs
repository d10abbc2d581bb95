//! Whether commits are charged to what they waited for: drawn cases, random schedules, damaged streams.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail their test by panicking"
)]

mod bounded;
mod client_to_cause;
mod crowd;
mod damage;
mod definition;
mod drawn;
mod exemplars;
mod fuzz;
mod gaps;
mod held;
mod over_time;
mod remembered;
mod sampled;
mod schedule;
mod stated;
