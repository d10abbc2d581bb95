//! Rows of a run as a whole: the run, its settings, its caveats and its causes.

use jiff::Timestamp;
use logtrace_report::document::{CauseRow, Caveat, Document};
use parquet_derive::ParquetRecordWriter;

use crate::table_file::integer;

/// Row of the table `runs`. What a run did not measure is null.
#[derive(Debug, PartialEq, ParquetRecordWriter)]
pub(crate) struct RunRow {
    started_at: Option<i64>,
    logtrace: String,
    kernel: Option<String>,
    cpu_model: Option<String>,
    cpus: Option<i64>,
    memory_bytes: Option<i64>,
    flavor: String,
    server_version: String,
    is_private: bool,
    file_system: String,
    device: String,
    workload: Option<String>,
    arrivals: Option<String>,
    connections: Option<i64>,
    offered_per_s: Option<f64>,
    achieved_per_s: Option<f64>,
    duration_ns: Option<i64>,
    requests: Option<i64>,
    done: Option<i64>,
    commits: Option<i64>,
    commit_ns: Option<i64>,
    unexplained_ns: i64,
    lost_records: Option<i64>,
    tracer_cpu_ns: Option<i64>,
}

/// Row of the table `settings`: a variable of the server.
#[derive(Debug, PartialEq, Eq, ParquetRecordWriter)]
pub(crate) struct SettingRow {
    name: String,
    value: String,
}

/// Row of the table `caveats`.
#[derive(Debug, PartialEq, Eq, ParquetRecordWriter)]
pub(crate) struct CaveatRow {
    kind: String,
    text: String,
}

/// Row of the table `causes`.
#[derive(Debug, PartialEq, Eq, ParquetRecordWriter)]
pub(crate) struct CauseTotalRow {
    who: &'static str,
    file: Option<&'static str>,
    op: Option<&'static str>,
    wait: &'static str,
    kind: &'static str,
    total_ns: i64,
    commits: i64,
    slowest_ns: i64,
}

impl From<&Document> for RunRow {
    fn from(document: &Document) -> Self {
        let (host, server) = (document.host.as_ref(), &document.server);
        let (workload, driver) = (document.workload.as_ref(), document.driver.as_ref());
        let (commits, tracer) = (document.commits.as_ref(), document.tracer.as_ref());
        Self {
            started_at: started_us(&document.started),
            logtrace: document.logtrace.clone(),
            kernel: host.map(|host| host.kernel.clone()),
            cpu_model: host.map(|host| host.cpu_model.clone()),
            cpus: host.map(|host| host.cpus.into()),
            memory_bytes: host.map(|host| integer(host.memory_bytes)),
            flavor: server.flavor.to_string(),
            server_version: server.version.clone(),
            is_private: server.private,
            file_system: server.file_system.clone(),
            device: server.device.clone(),
            workload: workload.map(|workload| workload.name.clone()),
            arrivals: workload.map(|workload| workload.arrivals.clone()),
            connections: workload.map(|workload| workload.connections.into()),
            offered_per_s: driver.and_then(|driver| driver.offered_per_s),
            achieved_per_s: driver.map(|driver| driver.achieved_per_s),
            duration_ns: duration_ns(document),
            requests: driver.map(|driver| integer(driver.requests)),
            done: driver.map(|driver| integer(driver.done)),
            commits: commits.map(|commits| integer(commits.count)),
            commit_ns: commits.map(|commits| integer(commits.total)),
            unexplained_ns: integer(document.unexplained),
            lost_records: tracer.map(|tracer| integer(tracer.lost)),
            tracer_cpu_ns: tracer.map(|tracer| integer(tracer.cpu_ns())),
        }
    }
}

impl From<&Caveat> for CaveatRow {
    fn from(caveat: &Caveat) -> Self {
        Self {
            kind: caveat.kind.to_string(),
            text: caveat.text.clone(),
        }
    }
}

impl From<&CauseRow> for CauseTotalRow {
    fn from(row: &CauseRow) -> Self {
        let (file, op) = row.cause.io.unzip();
        Self {
            who: row.cause.who.into(),
            file: file.map(Into::into),
            op: op.map(Into::into),
            wait: row.cause.wait.into(),
            kind: row.cause.wait.kind().into(),
            total_ns: integer(row.total),
            commits: integer(row.commits),
            slowest_ns: integer(row.slowest),
        }
    }
}

/// Returns the rows of the settings of a run.
pub(crate) fn settings(document: &Document) -> impl Iterator<Item = SettingRow> {
    let settings = document.server.settings.iter();
    settings.map(|(name, value)| SettingRow {
        name: name.clone(),
        value: value.clone(),
    })
}

/// Returns microseconds since 1970, or `None` if the text is no time.
fn started_us(started: &str) -> Option<i64> {
    let time: Timestamp = started.parse().ok()?;
    Some(time.as_microsecond())
}

fn duration_ns(document: &Document) -> Option<i64> {
    let of_run = document.workload.as_ref().map(|workload| workload.duration_s);
    let duration_s = of_run.or_else(|| document.trace.as_ref().map(|trace| trace.duration_s))?;
    // Seconds of a run are far below the largest number.
    #[expect(clippy::cast_possible_truncation, reason = "a fraction of a nanosecond")]
    Some((duration_s * 1e9) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_in_microseconds_whatever_its_zone() {
        let texts = ["2026-01-02T03:04:05.25+01:00", "2026-01-02T02:04:05.25Z"];
        assert_eq!(texts.map(started_us), [Some(1_767_319_445_250_000); 2]);
        assert_eq!(started_us("yesterday"), None);
    }
}
