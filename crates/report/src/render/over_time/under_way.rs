//! Commits that were under way, by what they waited for.

use logtrace_attribution::breakdown::UnderWay;
use logtrace_common::units::{self, real};

use super::axis::Times;
use super::stacked::{Area, Bars};

/// The picture.
pub(in crate::render) struct Areas {
    /// Areas from the bottom.
    pub(in crate::render) areas: Vec<Area>,
    /// Height of the drawing, as the mean number of commits that were under way.
    pub(in crate::render) highest: String,
}

/// Returns the areas: the mean number of commits that were under way in each column, by what they waited for.
pub(super) fn areas(under_way: &UnderWay, times: Times) -> Areas {
    let mut bars = Bars::new((0..=times.columns).map(real).collect());
    for cell in &under_way.cells {
        let column = times.column(cell.column, under_way.column_ns);
        if let Some(bar) = column.and_then(|column| usize::try_from(column).ok()) {
            bars.add(bar, under_way.waits[cell.wait], cell.ns);
        }
    }
    let (areas, highest_ns) = bars.areas();
    Areas {
        areas,
        highest: units::tenths(real(highest_ns) / real(times.column_ns)),
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
        let times = Times {
            columns: 2,
            column_ns: 10,
        };
        let Areas { areas, highest } = areas(&under_way, times);
        assert_eq!(highest, "4.0");
        let area = |wait, points: &str| Area {
            wait: Some(wait),
            points: points.to_owned(),
        };
        assert_eq!(
            areas,
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
