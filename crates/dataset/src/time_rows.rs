//! Rows by columns of time: causes, and durations of commits and requests.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::OverTime;
use logtrace_attribution::cause::Cause;
use logtrace_common::latency_row_start_ns;
use parquet_derive::ParquetRecordWriter;

use crate::table_file::integer;

/// Row of the table `seconds`: time of a cause in the commits that ended in a column of time. Columns are as wide as the run
/// is long: `width_ns`.
#[derive(Debug, PartialEq, Eq, ParquetRecordWriter)]
pub(crate) struct SecondRow {
    at_ns: i64,
    width_ns: i64,
    who: &'static str,
    file: Option<&'static str>,
    op: Option<&'static str>,
    wait: &'static str,
    kind: &'static str,
    total_ns: i64,
}

/// Row of the table `histograms`: number of commits or requests that ended in a column of time, with durations from `low_ns` to
/// below `high_ns`.
#[derive(Debug, PartialEq, Eq, ParquetRecordWriter)]
pub(crate) struct HistogramRow {
    metric: &'static str,
    at_ns: i64,
    width_ns: i64,
    low_ns: i64,
    high_ns: i64,
    count: i64,
}

/// Returns the causes by time.
pub(crate) fn seconds(over_time: &OverTime) -> impl Iterator<Item = SecondRow> {
    let causes = &over_time.causes;
    let mut sums: BTreeMap<(u64, Cause), u64> = BTreeMap::new();
    for cell in &causes.cells {
        let cause = causes.stacks[cell.stack].cause;
        *sums.entry((cell.column, cause)).or_default() += cell.ns;
    }
    let width_ns = causes.column_ns;
    sums.into_iter().map(move |((column, cause), total_ns)| {
        let (file, op) = cause.io.unzip();
        SecondRow {
            at_ns: integer(column * width_ns),
            width_ns: integer(width_ns),
            who: cause.who.into(),
            file: file.map(Into::into),
            op: op.map(Into::into),
            wait: cause.wait.into(),
            kind: cause.wait.kind().into(),
            total_ns: integer(total_ns),
        }
    })
}

/// Returns the durations of commits and requests by time.
pub(crate) fn histograms(over_time: &OverTime) -> impl Iterator<Item = HistogramRow> {
    let requests = over_time.requests.iter();
    let requests = requests.flat_map(|requests| {
        [
            ("lag", &requests.lag),
            ("service", &requests.service),
            ("response", &requests.response),
        ]
    });
    let metrics = [("commit", &over_time.commits)].into_iter().chain(requests);
    metrics.flat_map(|(metric, map)| {
        let cells = map.cells.iter();
        cells.map(move |cell| HistogramRow {
            metric,
            at_ns: integer(cell.column * map.column_ns),
            width_ns: integer(map.column_ns),
            low_ns: integer(latency_row_start_ns(cell.row)),
            high_ns: integer(latency_row_start_ns(cell.row.saturating_add(1))),
            count: integer(cell.count),
        })
    })
}
