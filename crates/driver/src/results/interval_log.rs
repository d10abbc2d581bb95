//! `HdrHistogram` interval log, for standard HDR viewers.

use std::io;
use std::time::{Duration, SystemTime};

use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, IntervalLogWriterError, Tag};
use hdrhistogram::serialization::{V2DeflateSerializeError, V2DeflateSerializer};

use crate::results::latencies::Latencies;

/// Returns the first lines of a log. Its intervals count from `base`.
pub(crate) fn header(base: SystemTime) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    IntervalLogWriterBuilder::new()
        .add_comment("[Histogram log format version 1.3]")
        .add_comment(
            "logtrace: latencies in ns; tags lag (sent - due), service (done - sent), response (done - due)",
        )
        .with_start_time(base)
        .with_base_time(base)
        .begin_log_with(&mut lines, &mut V2DeflateSerializer::new())?;
    Ok(lines)
}

/// Returns the lines of one interval: one for each latency, tagged with its name. `start` counts from the log's base.
pub(crate) fn interval(
    latencies: &Latencies,
    start: Duration,
    length: Duration,
) -> Result<Vec<u8>, IntervalLogWriterError<V2DeflateSerializeError>> {
    let mut lines = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut writer = IntervalLogWriterBuilder::new().begin_log_with(&mut lines, &mut serializer)?;
    for (name, histogram) in latencies.named() {
        writer.write_histogram(histogram, start, length, Tag::new(name))?;
    }
    Ok(lines)
}
