//! Lengths of bursts and gaps.

use logtrace_common::Sampling;
use std::time::Duration;

/// Lengths of bursts and gaps.
#[derive(Debug)]
pub(crate) struct Bursts {
    sampling: Sampling,
    random: fastrand::Rng,
}

impl Bursts {
    pub(crate) fn new(sampling: Sampling) -> Self {
        Self {
            sampling,
            // Any fixed one: gaps of the same lengths in each run.
            random: fastrand::Rng::with_seed(0x6c6f_6774),
        }
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
            let mut bursts = Bursts::new(sampling);
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
