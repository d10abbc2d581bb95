//! Values that the page shows under the pointer and with the focus.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{HeatCells, OverTime};
use logtrace_attribution::deflated::deflated;
use serde::Serialize;

use super::chart_values::ChartValues;
use super::pictures::Pictures;
use super::responses::Responses;
use crate::render::error::RenderError;

/// Values by the ids of the pictures.
#[derive(Serialize)]
struct PointedValues<'a> {
    charts: BTreeMap<&'static str, &'a ChartValues>,
    /// Heat maps of which the other data has no numbers.
    maps: BTreeMap<&'static str, &'a HeatCells>,
}

/// Returns the values of all pictures as compressed JSON, or `None` if there are no pictures.
pub(in crate::render) fn pointed_values(
    pictures: Option<&Pictures>,
    responses: Option<&Responses>,
    over_time: Option<&OverTime>,
) -> Result<Option<String>, RenderError> {
    if pictures.is_none() && responses.is_none() {
        return Ok(None);
    }
    let rates = pictures.and_then(|pictures| pictures.rates.as_ref());
    let rates = rates.or_else(|| responses.and_then(|responses| responses.rates.as_ref()));
    let backlog = rates.and_then(|rates| rates.backlog.as_ref());
    let backlog = backlog.filter(|backlog| backlog.area.is_some());
    let under_way = pictures.and_then(|pictures| pictures.under_way.as_ref());
    let percentiles = pictures.and_then(|pictures| pictures.percentiles.as_ref());
    let charts = [
        ("rates", rates.map(|rates| &rates.values)),
        ("backlog", backlog.map(|backlog| &backlog.values)),
        ("under-way", under_way.map(|areas| &areas.values)),
        (
            "by-percentile",
            percentiles.map(|percentiles| &percentiles.values),
        ),
    ];
    let charts = charts.into_iter().filter_map(|(id, values)| Some((id, values?)));
    let requests = responses
        .and(over_time)
        .and_then(|over_time| over_time.requests.as_ref());
    let values = PointedValues {
        charts: charts.collect(),
        maps: requests
            .map(|requests| ("response-map", &requests.response))
            .into_iter()
            .collect(),
    };
    let text = serde_json::to_string(&values)?;
    Ok(Some(deflated(text.as_bytes()).map_err(serde_json::Error::io)?))
}
