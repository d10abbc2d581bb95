//! Labels of axes of values: whole or short numbers.

use logtrace_common::units;

use super::axis::AxisTick;
use crate::render::value_axis::ValueAxis;

/// Units of durations, the largest first.
const UNITS_NS: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")];

/// Returns the labels of an axis of numbers.
pub(super) fn number_ticks(axis: ValueAxis) -> Vec<AxisTick> {
    ticks(axis, short)
}

/// Returns the labels of an axis of nanoseconds.
pub(super) fn duration_ticks(axis: ValueAxis) -> Vec<AxisTick> {
    ticks(axis, |ns| {
        let unit = UNITS_NS.iter().find(|(size, _)| ns >= *size * 0.999_999);
        match unit {
            Some((size, unit)) => format!("{} {unit}", short(ns / size)),
            None => "0".to_owned(),
        }
    })
}

fn ticks(axis: ValueAxis, text: impl Fn(f64) -> String) -> Vec<AxisTick> {
    let tick = |value| AxisTick {
        text: text(value),
        percent: 100.0 * axis.place(value),
    };
    axis.labels().map(tick).collect()
}

/// Formats a round number without zeros at its end.
fn short(value: f64) -> String {
    if value >= 10.0 {
        let whole = units::tenths(value);
        return whole.trim_end_matches(".0").to_owned();
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: Vec<AxisTick>) -> Vec<String> {
        ticks.into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn labels_have_no_digits_too_many() {
        let numbers = |most| texts(number_ticks(ValueAxis::up_to(most, 3.0)));
        assert_eq!(numbers(658.5), ["0", "250", "500", "750"]);
        assert_eq!(numbers(30.0), ["0", "10", "20", "30"]);
        assert_eq!(numbers(0.62), ["0", "0.25", "0.5", "0.75"]);
        assert_eq!(numbers(35.0), ["0", "20", "40"]);
        assert_eq!(numbers(2_900.0), ["0", "1,000", "2,000", "3,000"]);
        let durations = |most| texts(duration_ticks(ValueAxis::up_to(most, 4.0)));
        assert_eq!(
            durations(93_500_000.0),
            ["0", "25 ms", "50 ms", "75 ms", "100 ms"]
        );
        assert_eq!(durations(1_900_000.0), ["0", "500 us", "1 ms", "1.5 ms", "2 ms"]);
        assert_eq!(durations(9.0), ["0", "2.5 ns", "5 ns", "7.5 ns", "10 ns"]);
    }
}
