//! Axes of charts.

use logtrace_report::render::{Unit, ValueAxis};

/// Most labels of an axis of values.
const MOST_TICKS: f64 = 5.0;

/// Label of an axis, at a place from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) text: String,
}

/// Returns the axis that has all values up to `most`.
pub(super) fn value_axis(most: f64) -> ValueAxis {
    ValueAxis::up_to(most, MOST_TICKS)
}

/// Returns the labels of an axis of values.
pub(super) fn value_ticks(values: ValueAxis, unit: Unit) -> Vec<Tick> {
    let tick = |value| Tick {
        at: values.place(value),
        text: unit.text(value),
    };
    values.labels().map(tick).collect()
}

/// Axis of levels: numbers by their logarithms, other levels side by side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Levels {
    pub(super) ticks: Vec<Tick>,
    /// Whether the levels are numbers, so that a line may join them.
    pub(super) are_numbers: bool,
}

impl Levels {
    /// Returns the axis of these levels, in their order.
    pub(super) fn of(levels: &[&str]) -> Self {
        let numbers: Option<Vec<f64>> = levels.iter().map(|level| number(level)).collect();
        let numbers = numbers.filter(|numbers| numbers.len() > 1 && numbers.is_sorted_by(|a, b| a < b));
        let places: Vec<f64> = match &numbers {
            Some(numbers) => by_logarithm(numbers),
            None => (0..levels.len())
                .map(|at| (at as f64 + 0.5) / levels.len() as f64)
                .collect(),
        };
        let ticks = levels.iter().zip(places).map(|(level, at)| Tick {
            at,
            text: (*level).to_owned(),
        });
        Self {
            ticks: ticks.collect(),
            are_numbers: numbers.is_some(),
        }
    }
}

/// Returns the number above 0 that a level is.
fn number(level: &str) -> Option<f64> {
    let number: f64 = level.parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number)
}

/// Returns places from 0.06 to 0.94, so that marks at the ends are whole.
fn by_logarithm(numbers: &[f64]) -> Vec<f64> {
    let (first, last) = (numbers[0].ln(), numbers[numbers.len() - 1].ln());
    let place = |number: &f64| 0.06 + 0.88 * (number.ln() - first) / (last - first);
    numbers.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_values_are_round_and_few() {
        let texts = |most| {
            let ticks = value_ticks(value_axis(most), Unit::PerSecond).into_iter();
            ticks.map(|tick| tick.text).collect::<Vec<_>>()
        };
        assert_eq!(
            texts(41_365.0),
            ["0", "10,000", "20,000", "30,000", "40,000", "50,000"]
        );
        assert_eq!(texts(880.0), ["0", "200", "400", "600", "800", "1,000"]);
    }

    #[test]
    fn numbers_are_apart_by_their_ratios_and_words_by_equal_steps() {
        let axis = Levels::of(&["1", "8", "64"]);
        assert!(axis.are_numbers);
        let [first, middle, last] = [0, 1, 2].map(|at| axis.ticks[at].at);
        assert!((middle - f64::midpoint(first, last)).abs() < 1e-9);
        let axis = Levels::of(&["off", "sync 1"]);
        assert!(!axis.are_numbers);
        assert_eq!([axis.ticks[0].at, axis.ticks[1].at], [0.25, 0.75]);
        assert!(!Levels::of(&["8", "1"]).are_numbers, "a line would go back");
    }
}
