//! Constant rate, as the user writes it: `500/s` or `70%`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Highest offered rate in requests per second. It is more than one thread can send; above it, memory would fill with
/// waiting requests.
pub(crate) const MOST_PER_S: f64 = 1e6;

/// Offered rate, as the user writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// Requests per second.
    PerSecond(f64),
    /// Percentage of the measured capacity. Above 100 it is a deliberate overload.
    PercentOfCapacity(f64),
}

impl Rate {
    /// Returns requests per second for a server with this capacity.
    pub fn per_second(self, capacity_per_s: f64) -> f64 {
        match self {
            Self::PerSecond(rate) => rate,
            Self::PercentOfCapacity(percent) => capacity_per_s * percent / 100.0,
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PerSecond(rate) => write!(f, "{rate}/s"),
            Self::PercentOfCapacity(percent) => write!(f, "{percent}%"),
        }
    }
}

impl FromStr for Rate {
    type Err = RateError;

    /// Reads `500/s`, `500` (the same) or `70%`.
    fn from_str(text: &str) -> Result<Self, RateError> {
        let text = text.trim();
        let (number, make): (&str, fn(f64) -> Self) = match text.strip_suffix('%') {
            Some(percent) => (percent, Self::PercentOfCapacity),
            None => (text.strip_suffix("/s").unwrap_or(text), Self::PerSecond),
        };
        let value: f64 = number
            .trim_end()
            .parse()
            .map_err(|_| RateError::NotARate(text.into()))?;
        if value > 0.0 && value <= MOST_PER_S {
            Ok(make(value))
        } else {
            Err(RateError::OutOfRange(text.into()))
        }
    }
}

/// Reason why a text is not a rate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RateError {
    /// The text is not a rate.
    #[error("{0:?} is not a rate: write 500/s, or 70% of the measured capacity")]
    NotARate(String),
    /// The text is not a range of rates.
    #[error(
        "{0:?} is not a range of rates: write 100..5000/s for a ramp, 100..5000/s:500 for steps of 500, or either \
         with % of the measured capacity"
    )]
    NotARange(String),
    /// The rates are both 0 or too high, or there are too many steps.
    #[error("the rates {0:?} must be 0 to 1,000,000, not both 0, in at most 10,000 steps by more than 0")]
    BadRange(String),
    /// The rate is 0 or too high.
    #[error("the rate {0:?} must be above 0, and at most 1,000,000")]
    OutOfRange(String),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rates_and_shares_are_read() {
        assert_eq!("500/s".parse(), Ok(Rate::PerSecond(500.0)));
        assert_eq!("500".parse(), Ok(Rate::PerSecond(500.0)));
        assert_eq!("0.5/s".parse(), Ok(Rate::PerSecond(0.5)));
        assert_eq!("70%".parse(), Ok(Rate::PercentOfCapacity(70.0)));
        assert_eq!(Rate::PercentOfCapacity(70.0).per_second(2000.0), 1400.0);
        assert_eq!(Rate::PerSecond(500.0).per_second(2000.0), 500.0);
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for text in ["0", "-5/s", "0%", "-1%", "inf", "nan", "1e999", "1000001/s"] {
            assert!(
                matches!(text.parse::<Rate>(), Err(RateError::OutOfRange(_))),
                "{text}"
            );
        }
        for text in ["", "fast", "500/m", "%", "/s", "5%%", "1,000"] {
            assert!(
                matches!(text.parse::<Rate>(), Err(RateError::NotARate(_))),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_rate_or_an_error(text: String) {
            if let Ok(rate) = text.parse::<Rate>() {
                prop_assert_eq!(rate.to_string().parse(), Ok(rate));
            }
        }
    }
}
