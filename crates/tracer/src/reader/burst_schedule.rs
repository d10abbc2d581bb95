//! Times of bursts and gaps.

use std::time::{Duration, Instant};

use logtrace_common::Sampling;

/// Current burst or gap, and the lengths of the next ones.
#[derive(Debug)]
pub(crate) struct Rhythm {
    /// End of the burst or gap.
    pub(crate) until: Instant,
    /// Start of the gap, or `None` in a burst.
    pub(crate) gap_ns: Option<u64>,
    sampling: Sampling,
    random: fastrand::Rng,
}

impl Rhythm {
    /// Begins with a burst.
    pub(crate) fn new(sampling: Sampling) -> Self {
        Self {
            until: Instant::now() + sampling.burst(),
            gap_ns: None,
            sampling,
            // Any fixed one: gaps of the same lengths in each run.
            random: fastrand::Rng::with_seed(0x6c6f_6774),
        }
    }

    /// Returns the rest of the burst or gap.
    pub(crate) fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Returns the length of the next burst.
    pub(crate) fn burst(&self) -> Duration {
        self.sampling.burst()
    }

    /// Returns the length of the next gap, from half the mean to one and a half times the mean. With a fixed length, an
    /// event that happens once a second would be seen always or never.
    pub(crate) fn gap(&mut self) -> Duration {
        let mean = self.sampling.period().saturating_sub(self.burst());
        mean.mul_f64(0.5 + self.random.f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_take_their_share_of_the_time() {
        let shares = [
            ("1%", 0.01),
            ("10%", 0.1),
            ("50%", 0.5),
            ("99%", 0.99),
            ("25%:2s", 0.25),
        ];
        for (text, expected) in shares {
            let sampling: Sampling = text.parse().unwrap();
            let mut bursts = Rhythm::new(sampling);
            let burst = bursts.burst();
            let mean = sampling.period() - burst;
            let rounds = 2_000;
            let mut gaps = Duration::ZERO;
            for _ in 0..rounds {
                let gap = bursts.gap();
                assert!(mean / 2 <= gap && gap <= mean * 3 / 2, "{gap:?}");
                gaps += gap;
            }
            let share = (burst * rounds).div_duration_f64(burst * rounds + gaps);
            assert!(
                (share / expected - 1.0).abs() < 0.03,
                "{share} instead of {expected}"
            );
        }
    }
}
