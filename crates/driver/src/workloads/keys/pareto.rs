//! Pareto distribution: mostly low keys, at every scale.

use logtrace_common::random::{Rng, unit};

use crate::workloads::keys::parse::KeysError;

/// Distribution in which the share `h` of the rows gets the share 1 - `h` of the keys, and so on within these rows
/// (`sb_rand_pareto()`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    h: f64,
    power: f64,
}

// `h` is never NaN.
impl Eq for Pareto {}

impl Pareto {
    /// Returns the distribution with this `h` (`--rand-pareto-h`), above 0 and below 1.
    pub fn new(h: f64) -> Result<Self, KeysError> {
        match h > 0.0 && h < 1.0 {
            true => Ok(Self::of(h)),
            false => Err(KeysError::out_of_range(
                "H of pareto",
                h,
                "a number above 0 and below 1",
            )),
        }
    }

    fn of(h: f64) -> Self {
        Self {
            h,
            power: libm::log(h) / libm::log1p(-h),
        }
    }

    /// Returns the parameter.
    pub fn h(self) -> f64 {
        self.h
    }

    /// Draws a row, counted from 0.
    pub(crate) fn draw(self, rng: &mut impl Rng, rows: u64) -> u64 {
        // libm's power gives the same bits on every machine.
        (libm::pow(unit(rng), self.power) * rows as f64) as u64
    }
}

impl Default for Pareto {
    /// Returns the distribution with 80 % of the keys in the first 20 % of the rows.
    fn default() -> Self {
        Self::of(0.2)
    }
}
