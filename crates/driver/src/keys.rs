//! Which rows requests go to.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::random::{Rng, below};

/// Distribution of keys over the rows 1 to N of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Every row alike: sysbench's default from 1.1 on.
    Uniform,
    /// The default of sysbench up to 1.0: three of four keys fall into the middle 1 % of the rows, the others form
    /// a bell around the middle. With 10,000 rows it tests the locks of about 100 of them.
    Special,
}

/// Numbers whose mean makes one key of the bell (sysbench's `rand-spec-iter`).
const BELL_NUMBERS: u64 = 12;
/// One of this many keys is of the bell (`rand-spec-res` 75 %).
const ONE_OF_THE_BELL: u64 = 4;
/// The other keys fall into one of this many equal parts of the rows, the middle one (`rand-spec-pct` 1 %).
const PARTS: u64 = 100;

impl Keys {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Uniform, Self::Special];

    /// The name in commands and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Special => "special",
        }
    }

    /// A key of 1 to `rows`; `rows` must not be 0.
    pub fn draw(self, rng: &mut impl Rng, rows: u64) -> u64 {
        1 + match self {
            Self::Uniform => below(rng, rows),
            Self::Special if below(rng, ONE_OF_THE_BELL) == 0 => bell(rng, rows),
            Self::Special => middle(rng, rows),
        }
    }
}

fn bell(rng: &mut impl Rng, rows: u64) -> u64 {
    let sum: u64 = (0..BELL_NUMBERS).map(|_| below(rng, rows)).sum();
    sum / BELL_NUMBERS
}

fn middle(rng: &mut impl Rng, rows: u64) -> u64 {
    let hot = (rows / PARTS).max(1);
    (rows - hot) / 2 + below(rng, hot)
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Keys {
    type Err = UnknownKeys;

    fn from_str(text: &str) -> Result<Self, UnknownKeys> {
        Self::ALL
            .into_iter()
            .find(|keys| keys.name() == text)
            .ok_or_else(|| UnknownKeys(text.into()))
    }
}

/// No such distribution.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown key distribution {0:?}: choose uniform or special")]
pub struct UnknownKeys(String);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::Stream;

    fn counts(keys: Keys, rows: u64, draws: u64) -> Vec<u64> {
        let mut rng = Stream::Window.rng(3);
        let mut counts = vec![0; usize::try_from(rows).unwrap()];
        for _ in 0..draws {
            counts[usize::try_from(keys.draw(&mut rng, rows)).unwrap() - 1] += 1;
        }
        counts
    }

    /// Share of the draws that the most drawn `top` rows get.
    fn share_of_top(counts: &[u64], top: usize) -> f64 {
        let mut sorted = counts.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        sorted[..top].iter().sum::<u64>() as f64 / counts.iter().sum::<u64>() as f64
    }

    #[test]
    fn uniform_passes_a_chi_square_test() {
        let (rows, draws) = (1000, 1_000_000);
        let expected = draws as f64 / rows as f64;
        let chi: f64 = counts(Keys::Uniform, rows, draws)
            .iter()
            .map(|&count| (count as f64 - expected).powi(2) / expected)
            .sum();
        // 999 degrees of freedom: mean 999, standard deviation 44.7; four of them each way.
        assert!((820.0..1178.0).contains(&chi), "chi-square {chi}");
    }

    #[test]
    fn special_has_the_shares_of_sysbench() {
        let counts = counts(Keys::Special, 10_000, 1_000_000);
        let (one, ten) = (share_of_top(&counts, 100), share_of_top(&counts, 1000));
        // Simulated with sysbench's own formula: 76 % and 87 %.
        assert!((0.755..0.77).contains(&one), "top 1 %: {one}");
        assert!((0.86..0.88).contains(&ten), "top 10 %: {ten}");
    }

    #[test]
    fn special_is_centred() {
        let counts = counts(Keys::Special, 10_000, 400_000);
        let below: u64 = counts[..5000].iter().sum();
        // Five standard errors of a fair coin thrown 400,000 times.
        assert!(
            below.abs_diff(200_000) < 1600,
            "{below} of 400,000 in the lower half"
        );
    }

    #[test]
    fn names_are_read_back() {
        for keys in Keys::ALL {
            assert_eq!(keys.to_string().parse(), Ok(keys));
        }
        assert!("hot".parse::<Keys>().is_err());
    }

    proptest! {
        #[test]
        fn keys_are_rows(seed: u64, rows in 1u64..3_000_000_000) {
            let mut rng = Stream::Window.rng(seed);
            for keys in Keys::ALL {
                for _ in 0..50 {
                    prop_assert!((1..=rows).contains(&keys.draw(&mut rng, rows)));
                }
            }
        }
    }
}
