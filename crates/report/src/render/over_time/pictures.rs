//! All pictures, with their axes and words.

use logtrace_attribution::breakdown::OverTime;
use logtrace_common::units;

use super::axis::{AxisTick, DurationAxis, TimeAxis};
use super::heat_map::{self, Theme};
use super::percentiles::{Percentiles, percentiles};
use super::rates::{self, Rates};
use super::script;
use super::under_way::{self, Areas};
use crate::document::Document;
use crate::render::error::RenderError;

/// Pictures and their axes.
pub(in crate::render) struct Pictures {
    /// Sentence with what the heat map shows, for who does not see it.
    pub(in crate::render) summary: String,
    /// Heat maps as `data:` addresses, for light and for dark pages.
    pub(in crate::render) light: String,
    pub(in crate::render) dark: String,
    pub(in crate::render) times: Vec<AxisTick>,
    pub(in crate::render) latencies: Vec<AxisTick>,
    /// Rates and backlog on the same axis.
    pub(in crate::render) rates: Option<Rates>,
    /// Nanoseconds of the axis of time and of a column of it.
    pub(in crate::render) span_ns: (u64, u64),
    /// First and last row of the axis of durations.
    pub(in crate::render) rows: (u16, u16),
    /// Data of the script, as JSON.
    pub(in crate::render) data: String,
    /// Width of the drawing of the areas in its own units.
    pub(in crate::render) columns: u64,
    /// Commits that were under way; `None` for files of older versions.
    pub(in crate::render) under_way: Option<Areas>,
    /// Commits in the fullest cell of the heat map.
    pub(in crate::render) most: String,
    /// Commits by percentile.
    pub(in crate::render) percentiles: Option<Percentiles>,
    /// Width of a column of the pictures.
    pub(in crate::render) column: String,
}

/// Returns the pictures of a window of this length, or `None` without commits. The longest commit took `longest_ns`.
pub(in crate::render) fn pictures(
    document: &Document,
    over_time: &OverTime,
    window_ns: u64,
    longest_ns: u64,
) -> Result<Option<Pictures>, RenderError> {
    let Some(latencies) = DurationAxis::of(&over_time.commits) else {
        return Ok(None);
    };
    // The causes and the requests may have wider columns.
    let of_requests = over_time.requests.as_ref().map_or(0, rates::widest_ns);
    let least_ns = over_time.causes.column_ns.max(of_requests);
    let times = TimeAxis::of(&over_time.commits, least_ns, window_ns);
    let counts = times.counts(&over_time.commits);
    let longest = counts.keys().max_by_key(|&&(_, row)| row);
    let from = |column: u64| units::seconds(units::real(column * times.column_ns) / 1e9);
    Ok(Some(Pictures {
        summary: format!(
            "{} commits. The longest took {} and ended {} after the start of the window.",
            units::count(counts.values().sum()),
            units::duration(longest_ns),
            from(longest.map_or(0, |&(column, _)| column)),
        ),
        light: heat_map::image(&counts, times, latencies, Theme::Light)?,
        dark: heat_map::image(&counts, times, latencies, Theme::Dark)?,
        times: times.ticks(),
        latencies: latencies.ticks(),
        rates: rates::rates(document, over_time, times),
        span_ns: (times.columns.saturating_mul(times.column_ns), times.column_ns),
        rows: (latencies.first, latencies.last),
        data: script::data(over_time, &document.thread_names(over_time))?,
        columns: times.columns,
        under_way: over_time
            .under_way
            .as_ref()
            .map(|under_way| under_way::areas(under_way, times)),
        most: units::count(counts.values().copied().max().unwrap_or(0)),
        percentiles: percentiles(over_time),
        column: units::duration(times.column_ns),
    }))
}
