//! Values of the charts, which the page shows under the pointer and with the focus.

use logtrace_attribution::cause::Wait;
use logtrace_attribution::rgb::hex;
use serde::Serialize;

/// Significant digits of the values: a chart shows no more.
const DIGITS: i32 = 4;

/// Values of a chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(in crate::render) struct ChartValues {
    unit: ValueUnit,
    /// Width of a column of time.
    #[serde(skip_serializing_if = "Option::is_none")]
    column_ns: Option<u64>,
    /// Right ends of the bars with their names, if they are no columns of time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bars: Vec<(f64, String)>,
    /// Name of the sum of the series, if they lie on each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<&'static str>,
    series: Vec<ValueSeries>,
}

/// Unit of the values of a chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ValueUnit {
    /// Events a second.
    Rate,
    #[default]
    Count,
    Ns,
}

/// Values of one line or area, one for each bar.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ValueSeries {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<String>,
    values: Vec<f64>,
}

impl ChartValues {
    /// Creates the values of columns of time.
    pub(super) fn of_columns(unit: ValueUnit, column_ns: u64, series: Vec<ValueSeries>) -> Self {
        Self {
            unit,
            column_ns: Some(column_ns),
            series,
            ..Self::default()
        }
    }

    /// Creates the values of bars, which end at these places and have these names.
    pub(super) fn of_bars(unit: ValueUnit, bars: Vec<(f64, String)>, series: Vec<ValueSeries>) -> Self {
        Self {
            unit,
            bars,
            series,
            ..Self::default()
        }
    }

    /// Names the sum of the series.
    pub(super) fn with_sum(self, name: &'static str) -> Self {
        Self {
            sum: Some(name),
            ..self
        }
    }
}

impl ValueSeries {
    /// Creates the values of a line that has the colour of the page.
    pub(super) fn named(name: &str, values: &[f64]) -> Self {
        Self {
            name: name.to_owned(),
            color: None,
            values: values.iter().copied().map(rounded).collect(),
        }
    }

    /// Creates the values of a wait, or of all others.
    pub(super) fn of_wait(wait: Option<Wait>, values: impl Iterator<Item = f64>) -> Self {
        Self {
            name: wait.map_or_else(|| "others".to_owned(), |wait| wait.to_string()),
            color: wait.map(|wait| hex(wait.color())),
            values: values.map(rounded).collect(),
        }
    }
}

/// Rounds a value to [`DIGITS`] significant digits, so that it takes little room.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let digits = f64::from(DIGITS - 1) - value.abs().log10().floor();
    match digits > 0.0 {
        true => (value * 10_f64.powf(digits)).round() / 10_f64.powf(digits),
        false => value.round(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_four_digits_and_all_whole_ones() {
        assert_eq!(rounded(0.0), 0.0);
        assert_eq!(rounded(1.234_56), 1.235);
        assert_eq!(rounded(0.001_234_5), 0.001_235);
        assert_eq!(rounded(123_456.4), 123_456.0);
        assert_eq!(rounded(f64::INFINITY), 0.0);
    }

    #[test]
    fn what_a_chart_does_not_have_is_not_written() {
        let values = ChartValues::of_columns(ValueUnit::Rate, 5, vec![ValueSeries::named("done", &[1.0])]);
        assert_eq!(
            serde_json::to_string(&values).unwrap(),
            r#"{"unit":"rate","column_ns":5,"series":[{"name":"done","values":[1.0]}]}"#
        );
    }
}
