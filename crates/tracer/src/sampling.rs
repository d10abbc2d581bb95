//! Tracing in bursts: a part of the time, in which every commit is traced.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The share of the time that is traced, in per cent: from 1 to 100.
///
/// Half of what tracing costs are traps into the kernel that no program can make cheaper (docs/performance.md). Where
/// that is too much, only probes that are not there cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling(u8);

/// Length of a burst: hundreds of times that of a commit, so that few are cut by its edges.
const BURST: Duration = Duration::from_millis(200);

impl Sampling {
    /// Everything is traced.
    pub const ALL: Self = Self(100);

    /// A tenth.
    pub const TENTH: Self = Self(10);

    /// Whether there are times in which nothing is traced.
    pub fn has_gaps(self) -> bool {
        self != Self::ALL
    }

    /// One burst and one gap take so long, on average.
    pub fn period(self) -> Duration {
        BURST * 100 / u32::from(self.0)
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self::ALL
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", self.0))
    }
}

impl FromStr for Sampling {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let share = text.strip_suffix('%').and_then(|number| number.parse().ok());
        match share {
            Some(share @ 1..=100) => Ok(Self(share)),
            _ => Err("write a share of the time in per cent, from 1% to 100%".to_owned()),
        }
    }
}

/// When bursts begin and end.
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

    /// How long the next burst is.
    pub(crate) fn burst(&self) -> Duration {
        BURST
    }

    /// How long the next gap is: from half the mean to one and a half, or what a server does once a second would always
    /// be seen, or never.
    pub(crate) fn gap(&mut self) -> Duration {
        let mean = self.sampling.period().saturating_sub(BURST);
        mean.mul_f64(0.5 + self.random.f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_whole_number_of_per_cent() {
        for text in ["1%", "10%", "100%"] {
            assert_eq!(text.parse::<Sampling>().unwrap().to_string(), text);
        }
        for text in ["0%", "101%", "10", "0.5%", "-1%", "%", ""] {
            assert!(text.parse::<Sampling>().is_err(), "{text}");
        }
        assert!(!Sampling::default().has_gaps());
    }

    #[test]
    fn bursts_take_their_share_of_the_time() {
        for percent in [1, 10, 50, 99] {
            let mut bursts = Bursts::new(Sampling(percent));
            let mean = Sampling(percent).period() - BURST;
            let rounds = 2_000;
            let mut gaps = Duration::ZERO;
            for _ in 0..rounds {
                let gap = bursts.gap();
                assert!(mean / 2 <= gap && gap <= mean * 3 / 2, "{gap:?}");
                gaps += gap;
            }
            let share = (BURST * rounds).div_duration_f64(BURST * rounds + gaps);
            let expected = f64::from(percent) / 100.0;
            assert!(
                (share / expected - 1.0).abs() < 0.03,
                "{share} instead of {expected}"
            );
        }
    }
}
