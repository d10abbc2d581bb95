//! Heat map of response times, without a selection.

use super::axis::{Latencies, Tick, Times};
use super::heat_map::{self, Theme};
use crate::over_time::document::HeatCells;
use crate::render::error::RenderError;
use crate::units;

/// Heat map of response times, with its axes and words.
pub(in crate::render) struct Responses {
    /// Sentence with what the heat map shows, for who does not see it.
    pub(in crate::render) summary: String,
    /// Heat maps as `data:` addresses, for light and for dark pages.
    pub(in crate::render) light: String,
    pub(in crate::render) dark: String,
    pub(in crate::render) times: Vec<Tick>,
    pub(in crate::render) latencies: Vec<Tick>,
    /// Requests in the fullest cell.
    pub(in crate::render) most: String,
    /// Width of a column.
    pub(in crate::render) column: String,
}

/// Returns the heat map of a window of this length, or `None` without requests. The longest response took `longest_ns`.
pub(in crate::render) fn responses(
    cells: &HeatCells,
    window_ns: u64,
    longest_ns: u64,
) -> Result<Option<Responses>, RenderError> {
    let Some(latencies) = Latencies::of(cells) else {
        return Ok(None);
    };
    let times = Times::of(cells, 0, window_ns);
    let counts = times.counts(cells);
    Ok(Some(Responses {
        summary: format!(
            "{} requests were done. The longest response took {}.",
            units::count(counts.values().sum()),
            units::duration(longest_ns),
        ),
        light: heat_map::image(&counts, times, latencies, Theme::Light)?,
        dark: heat_map::image(&counts, times, latencies, Theme::Dark)?,
        times: times.ticks(),
        latencies: latencies.ticks(),
        most: units::count(counts.values().copied().max().unwrap_or(0)),
        column: units::duration(times.column_ns),
    }))
}
