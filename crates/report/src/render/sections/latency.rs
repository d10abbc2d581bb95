//! Lag, service, response and commit: their percentiles.

use crate::document::Document;
use crate::render::table::Table;
use crate::totals::distribution::Distribution;
use crate::units;

/// The percentiles of what was measured; `None` when nothing was.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let requests = document.driver.iter().flat_map(|driver| {
        [
            ("lag", &driver.lag),
            ("service", &driver.service),
            ("response", &driver.response),
            ("retrying", &driver.retrying),
        ]
    });
    let commits = document.commits.iter();
    let commits = commits.map(|commits| ("commit", &commits.distribution));
    let rows: Vec<_> = requests
        .chain(commits)
        .filter(|(_, times)| times.count > 0)
        .map(|(name, times)| row(name, times))
        .collect();
    (!rows.is_empty()).then(|| Table {
        header: vec!["", "p50", "p90", "p99", "p99.9", "max"],
        words: 1,
        rows,
    })
}

fn row(name: &str, times: &Distribution) -> Vec<String> {
    let percentiles = [times.p50, times.p90, times.p99, times.p999, times.max];
    let cells = percentiles.into_iter().map(units::duration);
    std::iter::once(name.to_owned()).chain(cells).collect()
}
