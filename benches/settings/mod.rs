//! How long each benchmark is measured.

use std::time::Duration;

use criterion::Criterion;

/// Two seconds a benchmark: what is measured here takes microseconds, and all of `cargo bench` shall take minutes.
pub(crate) fn short() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}
