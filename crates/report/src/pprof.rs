//! Commit time by stack in the format of pprof (proto/profile.proto of its sources), compressed with gzip.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use logtrace_attribution::breakdown::{CauseCube, StackRow};
use prost::Message;

/// Profile with the fields that are used. Numbers of strings are places in `string_table`.
#[derive(Clone, PartialEq, Message)]
struct PprofProfile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<PprofSample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<PprofFunction>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    r#type: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct PprofSample {
    /// The innermost frame first.
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    str: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<PprofLine>,
}

#[derive(Clone, PartialEq, Message)]
struct PprofLine {
    #[prost(uint64, tag = "1")]
    function_id: u64,
}

#[derive(Clone, PartialEq, Message)]
struct PprofFunction {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
}

/// Strings and functions, each once.
#[derive(Default)]
struct ProfileNames {
    profile: PprofProfile,
    strings: HashMap<String, i64>,
    functions: HashMap<String, u64>,
}

/// Writes the commit time of a run by stack: nanoseconds, and the number of commits that each stack delayed in a column of time and
/// a band of durations. Each sample has its cause as labels.
pub fn pprof(causes: &CauseCube, to: impl Write) -> io::Result<()> {
    let mut names = ProfileNames::default();
    // The table begins with the empty string.
    names.string("");
    let kinds = [("commits", "count"), ("time", "nanoseconds")];
    let kinds = kinds.map(|(kind, unit)| ValueType {
        r#type: names.string(kind),
        unit: names.string(unit),
    });
    names.profile.default_sample_type = kinds[1].r#type;
    names.profile.sample_type = kinds.into();
    let mut sums = vec![[0_i64; 2]; causes.stacks.len()];
    for cell in &causes.cells {
        let [commits, ns] = [cell.commits, cell.ns].map(|sum| i64::try_from(sum).unwrap_or(i64::MAX));
        let sum = &mut sums[cell.stack];
        *sum = [sum[0].saturating_add(commits), sum[1].saturating_add(ns)];
    }
    for (stack, value) in causes.stacks.iter().zip(sums) {
        names.add(stack, value);
    }
    let mut to = GzEncoder::new(to, Compression::default());
    to.write_all(&names.profile.encode_to_vec())?;
    to.finish()?.flush()
}

impl ProfileNames {
    fn add(&mut self, stack: &StackRow, value: [i64; 2]) {
        let cause = stack.cause;
        let (file, op) = cause.io.unzip();
        let io = file.zip(op).map(|(file, op)| format!("{file} {op}"));
        let outer = [Some(cause.who.to_string()), io, Some(cause.wait.to_string())];
        let frames = outer.into_iter().flatten().chain(stack.frames.iter().cloned());
        let mut location_id: Vec<u64> = frames.map(|name| self.function(&name)).collect();
        location_id.reverse();
        let words = [
            ("who", Some(cause.who.to_string())),
            ("file", file.map(|file| file.to_string())),
            ("op", op.map(|op| op.to_string())),
            ("wait", Some(cause.wait.to_string())),
        ];
        let labels = words.into_iter().filter_map(|(key, word)| Some((key, word?)));
        let label = labels.map(|(key, word)| Label {
            key: self.string(key),
            str: self.string(&word),
        });
        let label = label.collect();
        self.profile.sample.push(PprofSample {
            location_id,
            value: value.into(),
            label,
        });
    }

    fn string(&mut self, text: &str) -> i64 {
        let table = &mut self.profile.string_table;
        *self.strings.entry(text.to_owned()).or_insert_with(|| {
            table.push(text.to_owned());
            i64::try_from(table.len() - 1).unwrap_or(0)
        })
    }

    /// Returns the location of a function by its name.
    fn function(&mut self, name: &str) -> u64 {
        if let Some(&id) = self.functions.get(name) {
            return id;
        }
        // 0 is none.
        let id = self.functions.len() as u64 + 1;
        self.functions.insert(name.to_owned(), id);
        let text = self.string(name);
        self.profile.function.push(PprofFunction { id, name: text });
        let line = vec![PprofLine { function_id: id }];
        self.profile.location.push(Location { id, line });
        id
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;
    use logtrace_attribution::breakdown::CubeCell;
    use logtrace_attribution::cause::{Cause, Wait};

    #[test]
    fn samples_have_their_frames_from_the_innermost_and_sum_to_the_commits() {
        let row = |wait, frames: &[&str]| StackRow {
            cause: Cause::own(wait),
            frames: frames.iter().map(|&frame| frame.to_owned()).collect(),
        };
        let cell = |column, stack, ns| CubeCell {
            column,
            band: 3,
            stack,
            ns,
            commits: 2,
        };
        let causes = CauseCube {
            column_ns: 1,
            stacks: vec![row(Wait::RowLock, &["f", "g"]), row(Wait::OnCpu, &["f"])],
            cells: vec![cell(0, 0, 5), cell(0, 1, 7), cell(4, 0, 20)],
        };
        let mut compressed = Vec::new();
        pprof(&causes, &mut compressed).unwrap();
        let mut bytes = Vec::new();
        GzDecoder::new(&compressed[..]).read_to_end(&mut bytes).unwrap();
        let profile = PprofProfile::decode(&bytes[..]).unwrap();
        let text = |place: i64| profile.string_table[usize::try_from(place).unwrap()].as_str();
        assert_eq!(text(0), "");
        let name = |id: &u64| text(profile.function.iter().find(|one| one.id == *id).unwrap().name);
        let samples: Vec<(Vec<&str>, &[i64])> = profile
            .sample
            .iter()
            .map(|sample| (sample.location_id.iter().map(name).collect(), &sample.value[..]))
            .collect();
        let expected: [(Vec<&str>, &[i64]); 2] = [
            (vec!["g", "f", "row lock", "own"], &[4, 25]),
            (vec!["f", "on CPU", "own"], &[2, 7]),
        ];
        assert_eq!(samples, expected);
        let labels = profile.sample[0].label.iter();
        let labels: Vec<(&str, &str)> = labels.map(|label| (text(label.key), text(label.str))).collect();
        assert_eq!(labels, [("who", "own"), ("wait", "row lock")]);
        assert_eq!(text(profile.default_sample_type), "time");
    }
}
