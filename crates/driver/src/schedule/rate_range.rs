//! Range of rates over the window, as the user writes it: `100..5000/s` or `100..5000/s:500`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::schedule::rate::{MOST_PER_S, RateError};
use crate::schedule::{Schedule, ScheduleError, ScheduleStep};

/// Change from one rate to another: evenly, or in steps of equal length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateRange {
    from: f64,
    to: f64,
    by: Option<f64>,
    is_percent: bool,
}

/// Maximum number of steps.
const MOST_STEPS: f64 = 10_000.0;

impl RateRange {
    /// Returns whether the rates are percentages of the measured capacity.
    pub fn is_share(self) -> bool {
        self.is_percent
    }

    /// Returns the schedule over a window for a server with this capacity.
    pub fn schedule(self, window: Duration, capacity_per_s: f64) -> Result<Schedule, ScheduleError> {
        let unit = if self.is_percent {
            capacity_per_s / 100.0
        } else {
            1.0
        };
        let steps = match self.by {
            None => vec![ScheduleStep::new(window, self.from * unit, self.to * unit)?],
            Some(by) => stairs(window, &self.rates(by), unit)?,
        };
        Schedule::new(self.to_string(), steps)
    }

    /// Returns the rates of the steps. The last difference may be smaller than the others.
    fn rates(self, by: f64) -> Vec<f64> {
        let between = ((self.to - self.from).abs() / by).ceil() as u32;
        let sign = (self.to - self.from).signum();
        let mut rates: Vec<f64> = (0..between)
            .map(|number| self.from + sign * by * f64::from(number))
            .collect();
        rates.push(self.to);
        rates
    }
}

/// Returns steps of equal length. Each start is computed from the whole window, so rounding errors do not add up.
fn stairs(window: Duration, rates: &[f64], unit: f64) -> Result<Vec<ScheduleStep>, ScheduleError> {
    let start = |number: usize| window.as_nanos() * number as u128 / rates.len() as u128;
    let step = |(number, &rate): (usize, &f64)| {
        let length = start(number + 1) - start(number);
        let length = u64::try_from(length).map_err(|_| ScheduleError::TooLong)?;
        ScheduleStep::new(Duration::from_nanos(length), rate * unit, rate * unit)
    };
    rates.iter().enumerate().map(step).collect()
}

impl fmt::Display for RateRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.is_percent { "%" } else { "/s" };
        write!(f, "{}..{}{unit}", self.from, self.to)?;
        self.by.map_or(Ok(()), |by| write!(f, ":{by}"))
    }
}

impl FromStr for RateRange {
    type Err = RateError;

    /// Reads `100..5000/s`, `100..5000/s:500`, or the same in percent.
    fn from_str(text: &str) -> Result<Self, RateError> {
        let no_range = || RateError::NotARange(text.into());
        let text = text.trim();
        let (rates, by) = match text.split_once(':') {
            Some((rates, by)) => (rates, Some(by.parse().map_err(|_| no_range())?)),
            None => (text, None),
        };
        let (from, to) = rates.split_once("..").ok_or_else(no_range)?;
        let is_percent = to.ends_with('%');
        let unit = if is_percent { "%" } else { "/s" };
        let number = |text: &str| {
            let number = text.strip_suffix(unit).unwrap_or(text);
            number.trim().parse::<f64>().map_err(|_| no_range())
        };
        let range = Self {
            from: number(from)?,
            to: number(to)?,
            by,
            is_percent,
        };
        range.checked().ok_or_else(|| RateError::BadRange(text.into()))
    }
}

impl RateRange {
    fn checked(self) -> Option<Self> {
        let are_rates = [self.from, self.to]
            .iter()
            .all(|rate| (0.0..=MOST_PER_S).contains(rate));
        let has_steps = self
            .by
            .is_none_or(|by| by.is_finite() && by > 0.0 && (self.to - self.from).abs() / by < MOST_STEPS);
        (are_rates && has_steps && self.from + self.to > 0.0).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::rate_arg::RateArg;

    const WINDOW: Duration = Duration::from_secs(11);

    fn schedule(text: &str) -> Schedule {
        text.parse::<RateRange>()
            .unwrap()
            .schedule(WINDOW, 2000.0)
            .unwrap()
    }

    fn steps(rates: &[f64]) -> Vec<ScheduleStep> {
        let length = WINDOW / u32::try_from(rates.len()).unwrap();
        rates
            .iter()
            .map(|&rate| ScheduleStep::new(length, rate, rate).unwrap())
            .collect()
    }

    #[test]
    fn a_range_is_a_ramp_and_with_a_step_stairs_that_end_where_it_says() {
        let ramp = ScheduleStep::new(WINDOW, 100.0, 5000.0).unwrap();
        assert_eq!(schedule("100..5000/s").steps()[..], [ramp]);
        assert_eq!(schedule("5%..250%").steps()[..], [ramp]);
        let rates = [
            100.0, 600.0, 1100.0, 1600.0, 2100.0, 2600.0, 3100.0, 3600.0, 4100.0, 4600.0, 5000.0,
        ];
        assert_eq!(schedule("100..5000/s:500").steps()[..], steps(&rates));
        assert_eq!(schedule("0..100%:10").steps().len(), 11);
        assert_eq!(schedule("100..100:5").steps()[..], steps(&[100.0]));
        let falling: Vec<f64> = (0..11).map(|number| 1000.0 - 100.0 * f64::from(number)).collect();
        assert_eq!(schedule("1000..0/s:100").steps()[..], steps(&falling));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["..", "1..", "..5/s", "1..2..3", "a..b", "1..5/s:", "1..5/s:fast"] {
            assert!(
                matches!(text.parse::<RateArg>(), Err(RateError::NotARange(_))),
                "{text}"
            );
        }
        for text in [
            "0..0/s",
            "-1..5/s",
            "1..inf",
            "nan..5",
            "1..5/s:0",
            "1..5/s:-1",
            "1..5/s:0.0001",
            "1..5/s:nan",
        ] {
            assert!(
                matches!(text.parse::<RateArg>(), Err(RateError::BadRange(_))),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_range_is_read_back_and_fills_the_window(from in 0.0f64..1e5, to in 0.1f64..1e5, by in prop::option::of(50.0f64..1e6), percent: bool) {
            let range = RateRange { from, to, by, is_percent: percent };
            prop_assert_eq!(range.to_string().parse(), Ok(range));
            prop_assert_eq!(range.schedule(WINDOW, 100.0).unwrap().length(), WINDOW);
        }
    }
}
