//! Heat map of response times, without a selection.

use logtrace_attribution::breakdown::{OverTime, RequestCells};
use logtrace_common::units;

use super::axis::{AxisTick, DurationAxis, TimeAxis};
use super::heat_map::{self, Theme};
use super::rates::{self, Rates};
use crate::document::{Document, Driver};
use crate::render::error::RenderError;

/// Heat map of response times, with its axes and words.
pub(in crate::render) struct Responses {
    /// Sentence with what the heat map shows, for who does not see it.
    pub(in crate::render) summary: String,
    /// Heat maps as `data:` addresses, for light and for dark pages.
    pub(in crate::render) light: String,
    pub(in crate::render) dark: String,
    pub(in crate::render) times: Vec<AxisTick>,
    pub(in crate::render) latencies: Vec<AxisTick>,
    /// Rates and backlog on the same axis, where there are no commits with theirs.
    pub(in crate::render) rates: Option<Rates>,
    /// Requests in the fullest cell.
    pub(in crate::render) most: String,
    /// Width of a column.
    pub(in crate::render) column: String,
    /// Nanoseconds of the axis of time and of a column of it.
    pub(in crate::render) span_ns: (u64, u64),
    /// First and last row of the axis of durations.
    pub(in crate::render) rows: (u16, u16),
}

/// Returns the heat map of a window of this length, or `None` without requests.
pub(in crate::render) fn responses(
    document: &Document,
    over_time: &OverTime,
    window_ns: u64,
) -> Result<Option<Responses>, RenderError> {
    match (&over_time.requests, &document.driver) {
        (Some(requests), Some(driver)) => drawn((document, over_time), (requests, driver), window_ns),
        _ => Ok(None),
    }
}

fn drawn(
    (document, over_time): (&Document, &OverTime),
    (requests, driver): (&RequestCells, &Driver),
    window_ns: u64,
) -> Result<Option<Responses>, RenderError> {
    let cells = &requests.response;
    let Some(latencies) = DurationAxis::of(cells) else {
        return Ok(None);
    };
    let times = TimeAxis::of(cells, rates::widest_ns(requests), window_ns);
    let has_commits = !over_time.commits.cells.is_empty();
    let counts = times.counts(cells);
    Ok(Some(Responses {
        summary: format!(
            "{} requests were done. The longest response took {}.",
            units::count(counts.values().sum()),
            units::duration(driver.response.max),
        ),
        light: heat_map::image(&counts, times, latencies, Theme::Light)?,
        dark: heat_map::image(&counts, times, latencies, Theme::Dark)?,
        times: times.ticks(),
        latencies: latencies.ticks(),
        rates: rates::rates(document, over_time, times).filter(|_| !has_commits),
        most: units::count(counts.values().copied().max().unwrap_or(0)),
        column: units::duration(times.column_ns),
        span_ns: (times.columns.saturating_mul(times.column_ns), times.column_ns),
        rows: (latencies.first, latencies.last),
    }))
}
