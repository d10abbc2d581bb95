//! Causes as comma-separated values (RFC 4180), one row for each cause.

use logtrace_attribution::cause::Cause;
use logtrace_common::units;

use crate::document::{CauseRow, Document};
use crate::render::error::RenderError;

/// Names of the columns. `who`, `file`, `op` and `wait` are those of [`Cause`]; `file` and `op` are empty outside file I/O.
/// `total_ns` sums to the total commit time, and `slowest_ns` to that of the slowest 1 % of the commits; shares are from 0
/// to 1. `commits` is the number of commits that the cause delayed, `mean_ns` its mean over all commits, and `kind` that of the wait.
const COLUMNS: [&str; 11] = [
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
    "kind",
];

/// Returns a header and a row for each cause.
pub(crate) fn render(document: &Document) -> Result<String, RenderError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for cause in &document.causes {
        writer.write_record(row(document, cause))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn row(document: &Document, row: &CauseRow) -> [String; COLUMNS.len()] {
    let all = document.commits.as_ref();
    let (count, total, slowest) = all.map_or((0, 0, 0), |all| (all.count, all.total, all.slowest_total));
    let Cause { who, io, wait } = row.cause;
    let (class, op) = io.unzip();
    [
        who.to_string(),
        class.map_or_else(String::new, |class| class.to_string()),
        op.map_or_else(String::new, |op| op.to_string()),
        wait.to_string(),
        row.total.to_string(),
        fraction(row.total, total),
        row.commits.to_string(),
        units::mean(row.total, count).unwrap_or(0).to_string(),
        row.slowest.to_string(),
        fraction(row.slowest, slowest),
        wait.kind().to_string(),
    ]
}

fn fraction(part: u64, whole: u64) -> String {
    units::share(part, whole).map_or_else(String::new, |share| format!("{share:.6}"))
}
