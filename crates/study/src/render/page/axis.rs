//! Axes of charts.

use logtrace_report::render::Unit;

/// Most labels of an axis of values.
const MOST_TICKS: f64 = 5.0;

/// Label of an axis, at a place from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) text: String,
}

/// Axis of values from 0 on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Values {
    end: f64,
    distance: f64,
}

impl Values {
    /// Returns the axis that has all values up to `most`. Labels are 1, 2 or 5 times a power of ten apart.
    pub(super) fn up_to(most: f64) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let power = 10_f64.powf((most / MOST_TICKS).log10().floor());
        let distances = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
        let distance = distances
            .into_iter()
            .find(|distance| most / distance <= MOST_TICKS);
        let distance = distance.unwrap_or(most);
        Self {
            end: (most / distance).ceil() * distance,
            distance,
        }
    }

    /// Returns the place of a value from 0 to 1; values beyond the axis are at its ends.
    pub(super) fn place(self, value: f64) -> f64 {
        (value / self.end).clamp(0.0, 1.0)
    }

    /// Returns the labels.
    pub(super) fn ticks(self, unit: Unit) -> Vec<Tick> {
        let values = (0..=10).map(|number| f64::from(number) * self.distance);
        let values = values.take_while(|value| *value <= self.end * 1.001);
        let tick = |value| Tick {
            at: self.place(value),
            text: unit.text(value),
        };
        values.map(tick).collect()
    }
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
            let ticks = Values::up_to(most).ticks(Unit::PerSecond).into_iter();
            ticks.map(|tick| tick.text).collect::<Vec<_>>()
        };
        assert_eq!(
            texts(41_365.0),
            ["0", "10,000", "20,000", "30,000", "40,000", "50,000"]
        );
        assert_eq!(texts(880.0), ["0", "200", "400", "600", "800", "1,000"]);
        assert_eq!(texts(0.0).len(), 6, "an axis without values has one anyway");
        for most in [1e-9, 0.3, 7.0, 1e12] {
            let count = Values::up_to(most).ticks(Unit::PerSecond).len();
            assert!((3..=7).contains(&count), "{most}: {count}");
            assert!((Values::up_to(most).place(most) - 0.9).abs() <= 0.35, "{most}");
        }
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
