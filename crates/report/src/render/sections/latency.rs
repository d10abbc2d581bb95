//! Percentiles of lag, service, response and commit.

use crate::document::{Distribution, Document, Driver};
use crate::render::table::{Table, percentiles};

/// Returns the percentiles of all that was measured, or `None` if nothing was.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let requests = document.driver.iter().flat_map(rows);
    let commits = document.commits.iter();
    let rows = requests
        .chain(commits.map(|commits| ("commit", &commits.distribution)))
        .filter(|(_, times)| times.count > 0)
        .map(|(name, times)| [vec![name.to_owned()], percentiles(times).into()].concat());
    Table::new(1, ["", "p50", "p90", "p99", "p99.9", "max"], rows)
}

/// Returns the times of the requests. The lag is split only if requests waited for a connection, and the response times
/// with failed requests follow only if there are such.
fn rows(driver: &Driver) -> impl Iterator<Item = (&'static str, &Distribution)> {
    let is_split = driver.connection_wait.max > 0;
    let has_failed = driver.response_with_failed.count > driver.response.count;
    [
        (true, "lag", &driver.lag),
        (is_split, "  pacer", &driver.pacer_lag),
        (is_split, "  free connection", &driver.connection_wait),
        (true, "service", &driver.service),
        (true, "response", &driver.response),
        (has_failed, "  with failed", &driver.response_with_failed),
        (true, "retrying", &driver.retrying),
    ]
    .into_iter()
    .filter(|(is_shown, ..)| *is_shown)
    .map(|(_, name, times)| (name, times))
}
