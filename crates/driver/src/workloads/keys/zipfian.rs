//! Zipf distribution.

use logtrace_common::random::{Rng, unit};

use crate::workloads::keys::parse::KeysError;

/// Distribution in which the probability of row k is proportional to k^-exponent (`sb_rand_zipfian()`).
///
/// Rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
/// distributions", ACM TOMACS 6.3 (1996). Exact for any number of rows, without a table, and with few rejections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipfian {
    exponent: f64,
    /// Integral of the hat up to row 1, so that exactly this row's probability lies between it and 1.5.
    first: f64,
    /// Distance below its row within which a draw is accepted without computing the hat.
    close: f64,
}

// The fields are never NaN.
impl Eq for Zipfian {}

/// Largest exponent. Nearly every key is 1 far below it, and above about 700 the powers overflow.
const LARGEST: f64 = 100.0;

impl Zipfian {
    /// Returns the distribution with this exponent (`--rand-zipfian-exp`), 0 (uniform) to 100.
    pub fn new(exponent: f64) -> Result<Self, KeysError> {
        match (0.0..=LARGEST).contains(&exponent) {
            true => Ok(Self::of(exponent)),
            false => Err(KeysError::out_of_range(
                "EXPONENT of zipfian",
                exponent,
                "a number of 0 to 100",
            )),
        }
    }

    fn of(exponent: f64) -> Self {
        let hat = Hat { exponent };
        Self {
            exponent,
            first: hat.integral(1.5) - 1.0,
            close: 2.0 - hat.inverse(hat.integral(2.5) - hat.at(2.0)),
        }
    }

    /// Returns the parameter.
    pub fn exponent(self) -> f64 {
        self.exponent
    }

    /// Draws a row, counted from 0.
    pub(crate) fn draw(self, rng: &mut impl Rng, rows: u64) -> u64 {
        let hat = Hat {
            exponent: self.exponent,
        };
        let (rows, last) = (rows as f64, hat.integral(rows as f64 + 0.5));
        loop {
            let below = last + unit(rng) * (self.first - last);
            let x = hat.inverse(below);
            let row = (x + 0.5).floor().clamp(1.0, rows);
            if row - x <= self.close || below >= hat.integral(row + 0.5) - hat.at(row) {
                return row as u64 - 1;
            }
        }
    }
}

impl Default for Zipfian {
    fn default() -> Self {
        Self::of(0.8)
    }
}

/// Hat function x^-exponent over the steps of the distribution.
///
/// libm's functions give the same bits on every machine.
#[derive(Clone, Copy)]
struct Hat {
    exponent: f64,
}

/// Distance from 1 within which an exponent counts as 1, so that the integral is the logarithm.
const NEARLY_NOTHING: f64 = 1e-12;

impl Hat {
    fn at(self, x: f64) -> f64 {
        libm::pow(x, -self.exponent)
    }

    /// Returns the integral from 1 to x: (x^(1-exponent) - 1) / (1 - exponent).
    fn integral(self, x: f64) -> f64 {
        let rest = 1.0 - self.exponent;
        let log = libm::log(x);
        if rest.abs() < NEARLY_NOTHING {
            log
        } else {
            libm::expm1(rest * log) / rest
        }
    }

    /// Returns the x up to which the integral is `area`.
    fn inverse(self, area: f64) -> f64 {
        let rest = 1.0 - self.exponent;
        if rest.abs() < NEARLY_NOTHING {
            libm::exp(area)
        } else {
            // Rounding must not take the argument below -1, where there is no logarithm.
            libm::exp(libm::log1p((rest * area).max(-1.0)) / rest)
        }
    }
}
