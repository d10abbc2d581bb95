//! Distributions around the middle of the rows.

use std::fmt;

use logtrace_common::random::{Rng, unit};

use crate::workloads::keys::parse::KeysError;

/// Mean of several uniform numbers, scaled to all rows (`sb_rand_gaussian()`). More numbers make a narrower bell.
/// sysbench 1.1 uses no numbers for it, so that it always draws the same row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gaussian {
    numbers: u32,
}

/// Default of sysbench 1.0 (`sb_rand_special()`): a bell with a hot range in the middle of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    percent: u32,
    share: u32,
    bell: Gaussian,
}

/// Maximum number of uniform numbers. More would only make draws slow.
const MOST_NUMBERS: u32 = 1000;

impl Gaussian {
    /// Mean of 12 numbers.
    pub const DEFAULT: Self = Self { numbers: 12 };

    /// Returns the mean of this number of uniform numbers (`--rand-spec-iter`), 1 to 1000.
    pub fn new(numbers: u32) -> Result<Self, KeysError> {
        match numbers {
            1..=MOST_NUMBERS => Ok(Self { numbers }),
            _ => Err(KeysError::out_of_range(
                "NUMBERS of gaussian",
                numbers,
                "1 to 1000",
            )),
        }
    }

    /// Returns the number of uniform numbers per key.
    pub fn numbers(self) -> u32 {
        self.numbers
    }

    /// Draws a row, counted from 0.
    pub(crate) fn draw(self, rng: &mut impl Rng, rows: u64) -> u64 {
        (self.mean(rng) * rows as f64) as u64
    }

    fn mean(self, rng: &mut impl Rng) -> f64 {
        let sum: f64 = (0..self.numbers).map(|_| unit(rng)).sum();
        sum / f64::from(self.numbers)
    }
}

impl Special {
    /// Middle 1 % of the rows, 75 % of the keys, and a bell of 12 numbers.
    pub const DEFAULT: Self = Self {
        percent: 1,
        share: 75,
        bell: Gaussian::DEFAULT,
    };

    /// Returns the distribution with a hot range of `percent` of the rows (`--rand-spec-pct`), `share` percent of the keys
    /// in it (`--rand-spec-res`), and a bell of this number of uniform numbers for the other keys.
    pub fn new(percent: u32, share: u32, numbers: u32) -> Result<Self, KeysError> {
        for (parameter, value) in [("PERCENT of special", percent), ("SHARE of special", share)] {
            if value > 100 {
                return Err(KeysError::out_of_range(parameter, value, "0 to 100"));
            }
        }
        Ok(Self {
            percent,
            share,
            bell: Gaussian::new(numbers)?,
        })
    }

    /// Draws a row, counted from 0.
    ///
    /// sysbench uses the number that chose between bell and hot range again for the position in the hot range. This number
    /// is not below the share of the bell, so that the first quarter of the hot range (with 75 %) is never drawn.
    pub(crate) fn draw(self, rng: &mut impl Rng, rows: u64) -> u64 {
        let last = (rows - 1) as f64;
        let number = unit(rng);
        if number * 100.0 < f64::from(100 - self.share) {
            return (self.bell.mean(rng) * last) as u64;
        }
        let width = last * f64::from(self.percent) / 100.0;
        (last / 2.0 - width / 2.0 + number * (width + 1.0)) as u64
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.percent, self.share, self.bell.numbers)
    }
}
