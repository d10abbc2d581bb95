//! Percentiles of lag, service, response and commit.

use crate::document::Document;
use crate::render::table::{Table, percentiles};

/// Returns the percentiles of all that was measured, or `None` if nothing was.
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
    let rows = requests
        .chain(commits.map(|commits| ("commit", &commits.distribution)))
        .filter(|(_, times)| times.count > 0)
        .map(|(name, times)| [vec![name.to_owned()], percentiles(times).into()].concat());
    Table::new(1, ["", "p50", "p90", "p99", "p99.9", "max"], rows)
}
