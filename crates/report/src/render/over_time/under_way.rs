//! Commits that were under way, by what they waited for.

use logtrace_attribution::breakdown::UnderWay;
use logtrace_common::units::{self, real};

use super::axis::{AxisTick, TimeAxis};
use super::chart_values::{ChartValues, ValueUnit};
use super::stacked::{Area, Bars};
use super::value_ticks::number_ticks;
use crate::render::value_axis::ValueAxis;

/// Most labels above 0.
const MOST_LABELS: f64 = 4.0;

/// The picture.
pub(in crate::render) struct Areas {
    /// Areas from the bottom.
    pub(in crate::render) areas: Vec<Area>,
    /// Labels of the mean number of commits that were under way.
    pub(in crate::render) labels: Vec<AxisTick>,
    /// Largest number of a column.
    pub(in crate::render) highest: String,
    /// Values for the pointer.
    pub(super) values: ChartValues,
}

/// Returns the areas: the mean number of commits that were under way in each column, by what they waited for.
pub(super) fn areas(under_way: &UnderWay, times: TimeAxis) -> Areas {
    let mut bars = Bars::new((0..=times.columns).map(real).collect());
    for cell in &under_way.cells {
        let column = times.column(cell.column, under_way.column_ns);
        if let Some(bar) = column.and_then(|column| usize::try_from(column).ok()) {
            bars.add(bar, under_way.waits[cell.wait], cell.ns);
        }
    }
    let layers = bars.layers();
    let commits = |ns: f64| ns / real(times.column_ns);
    let highest = commits(real(layers.highest_ns()));
    let labels = ValueAxis::up_to(highest, MOST_LABELS);
    let series = layers.series(commits);
    Areas {
        areas: layers.areas(labels.times(real(times.column_ns))),
        labels: number_ticks(labels),
        highest: units::tenths(highest),
        values: ChartValues::of_columns(ValueUnit::Count, times.column_ns, series).with_sum("under way"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_attribution::breakdown::UnderWayCell;
    use logtrace_attribution::cause::Wait;

    #[test]
    fn areas_lie_on_each_other_and_the_highest_column_reaches_the_top() {
        let cell = |column, wait, ns| UnderWayCell { column, wait, ns };
        let under_way = UnderWay {
            column_ns: 10,
            waits: vec![Wait::Timer, Wait::OnCpu],
            cells: vec![cell(0, 0, 30), cell(0, 1, 10), cell(1, 0, 20)],
        };
        let times = TimeAxis {
            columns: 2,
            column_ns: 10,
        };
        let found = areas(&under_way, times);
        assert_eq!(found.highest, "4.0");
        let labels: Vec<&str> = found.labels.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(labels, ["0", "1", "2", "3", "4"]);
        let area = |wait, points: &str| Area {
            wait: Some(wait),
            points: points.to_owned(),
        };
        assert_eq!(
            found.areas,
            [
                area(
                    Wait::Timer,
                    "0,25.0 1,25.0 1,50.0 2,50.0 2,100.0 1,100.0 1,100.0 0,100.0"
                ),
                area(
                    Wait::OnCpu,
                    "0,0.0 1,0.0 1,50.0 2,50.0 2,50.0 1,50.0 1,25.0 0,25.0"
                ),
            ]
        );
    }
}
