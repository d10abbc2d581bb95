//! The causes as comma-separated values (RFC 4180), one row a cause.

use serde::Serialize;

use crate::causes::cause::Cause;
use crate::document::{CauseRow, Document};
use crate::render::error::RenderError;
use crate::units;

/// The columns, in their order. The `total_ns` sum to the total commit time, and the `slowest_ns` to that of the
/// slowest 1 % of the commits.
#[derive(Serialize)]
struct Row {
    /// `own`, `leader`, `previous group`, `session` or `background`.
    who: &'static str,
    /// Class of the file; empty outside of file I/O.
    file: &'static str,
    /// `write` or `fsync`; empty outside of file I/O.
    op: &'static str,
    /// What was waited for.
    wait: &'static str,
    /// Nanoseconds over all commits.
    total_ns: u64,
    /// Part of all commit time, from 0 to 1.
    share: String,
    /// Commits that it delayed.
    commits: u64,
    /// Nanoseconds of each commit, on average over all of them.
    mean_ns: u64,
    /// Nanoseconds within the slowest 1 % of the commits.
    slowest_ns: u64,
    /// Part of the time of these, from 0 to 1.
    slowest_share: String,
}

const COLUMNS: [&str; 10] = [
    "who",
    "file",
    "op",
    "wait",
    "total_ns",
    "share",
    "commits",
    "mean_ns",
    "slowest_ns",
    "slowest_share",
];

/// A header, and a row for each cause.
pub(crate) fn render(document: &Document) -> Result<String, RenderError> {
    // The header is written even where there are no rows to take it from.
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for cause in &document.causes {
        writer.serialize(row(document, cause))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn row(document: &Document, row: &CauseRow) -> Row {
    let all = document.commits.as_ref();
    let (count, total, slowest) = all.map_or((0, 0, 0), |all| (all.count, all.total, all.slowest_total));
    let Cause { who, io, wait } = row.cause;
    Row {
        who: who.into(),
        file: io.map_or("", |(class, _)| class.as_str()),
        op: io.map_or("", |(_, op)| op.as_str()),
        wait: wait.into(),
        total_ns: row.total,
        share: fraction(row.total, total),
        commits: row.commits,
        mean_ns: units::mean(row.total, count).unwrap_or(0),
        slowest_ns: row.slowest,
        slowest_share: fraction(row.slowest, slowest),
    }
}

fn fraction(part: u64, whole: u64) -> String {
    units::share(part, whole).map_or_else(String::new, |share| format!("{share:.6}"))
}
