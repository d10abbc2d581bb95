//! Whether commits are charged to what they waited for: drawn cases, random schedules, damaged streams.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail their test by panicking"
)]

mod before_commit;
mod bounded;
mod client_to_cause;
mod crowd;
mod damage;
mod definition;
mod drawn;
mod exemplars;

/// Recordings that were damaged: they are explained, and sums stay exact.
mod fuzz {
    mod clocks;
    mod recordings;
}

mod gaps;
mod held;
mod over_time;
mod pools;
mod remembered;
mod sampled;
mod schedule;
mod stated;
