//! Files of recorded due times, which are replayed.
//!
//! A text file with one request per line, as nanoseconds from the start, in order. A last line `end NANOSECONDS` gives
//! the length of the window. Without it, the window ends with the last request.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use logtrace_common::FileError;

use crate::util::clock::{duration_ns, per_s};
use crate::util::content_lines;

/// Recorded due times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivalTimes {
    name: String,
    offsets_ns: Arc<[u64]>,
    length_ns: u64,
}

impl ArrivalTimes {
    /// Reads the text of a file. Reports and errors show the name.
    pub fn read(name: &str, text: &str) -> Result<Self, FileError> {
        let (mut offsets_ns, mut end_ns) = (Vec::new(), None);
        for (line, line_text) in content_lines(text) {
            let at_line = |problem| FileError::new(name, Some(line), problem);
            if end_ns.is_some() {
                return Err(at_line(format!(
                    "{line_text:?} follows the end: write the end last"
                )));
            }
            let last_ns = offsets_ns.last().copied().unwrap_or(0);
            match line_text.strip_prefix("end ") {
                Some(end) => end_ns = Some(ending(end.trim(), last_ns).map_err(at_line)?),
                None => offsets_ns.push(offset(line_text, last_ns).map_err(at_line)?),
            }
        }
        let Some(&last_ns) = offsets_ns.last() else {
            let problem = "the file has no due time: write nanoseconds from the start, one request per line";
            return Err(FileError::new(name, None, problem));
        };
        Ok(Self {
            name: name.into(),
            offsets_ns: offsets_ns.into(),
            length_ns: end_ns.unwrap_or(last_ns + 1),
        })
    }

    /// Writes times in the format that [`Self::read`] reads.
    pub fn write(
        out: &mut dyn Write,
        offsets_ns: impl Iterator<Item = u64>,
        length_ns: u64,
    ) -> io::Result<()> {
        writeln!(
            out,
            "# due times in ns from the start of the window, one request a line"
        )?;
        for offset_ns in offsets_ns.take_while(|&offset_ns| offset_ns < length_ns) {
            writeln!(out, "{offset_ns}")?;
        }
        writeln!(out, "end {length_ns}")?;
        out.flush()
    }

    /// Returns the name in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the length of the window.
    pub fn length(&self) -> Duration {
        Duration::from_nanos(self.length_ns)
    }

    /// Returns the mean rate in the first `window`, in requests per second.
    pub fn mean_per_s(&self, window: Duration) -> f64 {
        let window_ns = duration_ns(window);
        let requests = self
            .offsets_ns
            .partition_point(|&offset_ns| offset_ns < window_ns);
        per_s(requests as f64, window_ns)
    }

    pub(crate) fn offsets_ns(&self) -> Arc<[u64]> {
        Arc::clone(&self.offsets_ns)
    }
}

/// Upper limit of times in nanoseconds: half of the range of the clock.
const LATEST: u64 = u64::MAX / 2;

fn offset(line_text: &str, last_ns: u64) -> Result<u64, String> {
    match line_text.parse() {
        Ok(offset_ns) if offset_ns < last_ns => Err(format!(
            "{offset_ns} is before {last_ns}: write the times in order"
        )),
        Ok(offset_ns) if offset_ns < LATEST => Ok(offset_ns),
        _ => Err(not_a_time(line_text)),
    }
}

fn ending(line_text: &str, last_ns: u64) -> Result<u64, String> {
    match line_text.parse() {
        Ok(end_ns) if end_ns > last_ns && end_ns <= LATEST => Ok(end_ns),
        Ok(_) => Err(format!(
            "the end at {line_text} is not after the last time, {last_ns}"
        )),
        Err(_) => Err(not_a_time(line_text)),
    }
}

fn not_a_time(line_text: &str) -> String {
    format!("{line_text:?} is not a time: write whole nanoseconds from the start")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_read_and_the_window_ends_where_they_say() {
        let times = ArrivalTimes::read("a", "# mine\n0\n5\n5\n1000 # late\n").unwrap();
        assert_eq!(
            (&times.offsets_ns[..], times.length_ns),
            (&[0, 5, 5, 1000][..], 1001)
        );
        let times = ArrivalTimes::read("a", "7\nend 2000000000\n").unwrap();
        assert_eq!(times.length(), Duration::from_secs(2));
        assert_eq!(times.mean_per_s(times.length()), 0.5);
        assert_eq!(times.mean_per_s(Duration::from_nanos(7)), 0.0);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let cases = [
            ("", "a: the file has no due time"),
            ("end 5", "a: the file has no due time"),
            ("1\nsoon", "a:2: \"soon\" is not a time"),
            ("-1", "a:1: \"-1\" is not a time"),
            ("1.5", "a:1: \"1.5\" is not a time"),
            ("99999999999999999999", "a:1: "),
            ("5\n\n4", "a:3: 4 is before 5: write the times in order"),
            ("5\nend 5", "a:2: the end at 5 is not after the last time"),
            ("5\nend never", "a:2: \"never\" is not a time"),
            ("5\nend 6\n7", "a:3: \"7\" follows the end"),
        ];
        for (text, expected) in cases {
            let error = ArrivalTimes::read("a", text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(mut offsets in proptest::collection::vec(0u64..1 << 40, 1..200), cut in 1u64..1 << 41) {
            offsets.sort_unstable();
            let within: Vec<u64> = offsets.iter().copied().filter(|&offset| offset < cut).collect();
            let mut text = Vec::new();
            ArrivalTimes::write(&mut text, offsets.into_iter(), cut).unwrap();
            let times = ArrivalTimes::read("a", std::str::from_utf8(&text).unwrap());
            match times {
                Ok(times) => prop_assert_eq!((&times.offsets_ns[..], times.length_ns), (&within[..], cut)),
                Err(_) => prop_assert!(within.is_empty()),
            }
        }
    }
}
