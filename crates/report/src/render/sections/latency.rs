//! Mean and percentiles of commits, responses, service and lag.

use logtrace_common::units;

use crate::document::{Distribution, Document, Driver};
use crate::render::table::{Table, percentiles};

/// Returns mean and percentiles of all that was measured, or `None` if nothing was. Of statements outside of their commits only
/// the mean is known.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let commits = document.commits.iter();
    // The mean of the distribution is that of its steps; the other one is exact.
    let commits = commits.map(|commits| {
        let mean = units::mean_duration(commits.total, commits.count);
        ("commit", mean, &commits.distribution)
    });
    let requests = document.driver.iter().flat_map(rows);
    let requests = requests.map(|(name, times)| (name, units::duration(times.mean), times));
    let rows = commits
        .chain(requests)
        .filter(|(.., times)| times.count > 0)
        .map(|(name, mean, times)| [vec![name.to_owned(), mean], percentiles(times).into()].concat());
    let statements = document
        .statements
        .iter()
        .filter(|statements| statements.count > 0);
    let statements = statements.map(|statements| {
        let mean = units::mean_duration(statements.total, statements.count);
        [
            vec!["rest of statement".to_owned(), mean],
            vec!["-".to_owned(); 5],
        ]
        .concat()
    });
    let header = ["", "mean", "p50", "p90", "p99", "p99.9", "max"];
    Table::new(1, header, rows.chain(statements))
}

/// Returns the times of the requests. The lag is split only if requests waited for a connection, and the response times
/// with failed requests follow only if there are such.
fn rows(driver: &Driver) -> impl Iterator<Item = (&'static str, &Distribution)> {
    let is_split = driver.connection_wait.max > 0;
    let has_failed = driver.response_with_failed.count > driver.response.count;
    [
        (true, "response", &driver.response),
        (has_failed, "  with failed", &driver.response_with_failed),
        (true, "service", &driver.service),
        (true, "lag", &driver.lag),
        (is_split, "  pacer", &driver.pacer_lag),
        (is_split, "  free connection", &driver.connection_wait),
        (true, "retrying", &driver.retrying),
    ]
    .into_iter()
    .filter(|(is_shown, ..)| *is_shown)
    .map(|(_, name, times)| (name, times))
}
