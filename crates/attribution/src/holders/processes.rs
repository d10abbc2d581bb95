//! Other processes that had the CPU while commits waited for it, or wrote to the file systems of the server's logs.

use std::collections::BTreeMap;

use logtrace_events::OtherWrites;
use rustc_hash::FxHashMap;

use super::document::ProcessRow;
use crate::causes::Wait;
use crate::charging::stack_index::StackIndex;
use crate::timeline::frames::{FrameNames, Frames};

/// Most processes of each kind that are listed.
const MOST_LISTED: usize = 8;

/// Limit on processes that are counted. Those of one name are one.
const MOST_COUNTED: usize = 1 << 12;

/// Limit on file systems of logs.
const MOST_DEVICES: usize = 16;

/// Times and bytes by process.
#[derive(Debug, Default)]
pub(super) struct OtherProcesses {
    cpu: FxHashMap<Frames, HeldCpu>,
    /// Bytes by the name of the process and the device of the file system.
    written: FxHashMap<(String, u32), u64>,
    /// Devices of the file systems with logs.
    log_devices: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct HeldCpu {
    ns: u64,
    commits: u64,
    /// Number of the last commit that waited.
    last_commit: u64,
}

impl OtherProcesses {
    /// Adds the commit with this number, the last one of `stacks`.
    pub(super) fn add(&mut self, commit: u64, stacks: &StackIndex) {
        let waits = stacks.times().iter();
        for waited in waits.filter(|time| stacks.causes()[time.cause].wait == Wait::RunQueueProcess) {
            let Some(process) = stacks.stacks()[waited.stack].frames else {
                continue;
            };
            if self.cpu.len() >= MOST_COUNTED && !self.cpu.contains_key(&process) {
                continue;
            }
            let time = self.cpu.entry(process).or_default();
            time.ns += waited.ns;
            time.commits += u64::from(time.last_commit != commit);
            time.last_commit = commit;
        }
    }

    /// Notes the device of a file system with logs.
    pub(super) fn note_log_device(&mut self, dev: u32) {
        if !self.log_devices.contains(&dev) && self.log_devices.len() < MOST_DEVICES {
            self.log_devices.push(dev);
        }
    }

    /// Adds what a process wrote.
    pub(super) fn add_writes(&mut self, writes: OtherWrites) {
        let OtherWrites { name, dev, bytes, .. } = writes;
        let key = (name, dev);
        if self.written.len() < MOST_COUNTED || self.written.contains_key(&key) {
            let sum = self.written.entry(key).or_default();
            *sum = sum.saturating_add(bytes);
        }
    }

    /// Begins again. The devices stay.
    pub(super) fn begin(&mut self) {
        self.cpu.clear();
        self.written.clear();
    }

    /// Returns the processes that had the CPU longest, and those that wrote most to the file systems of logs.
    pub(super) fn finish(&self, names: &FrameNames) -> Vec<ProcessRow> {
        let mut rows = BTreeMap::<String, ProcessRow>::new();
        for (&process, time) in &self.cpu {
            let name = names.names(Some(process)).pop().unwrap_or_default();
            let row = rows.entry(name).or_default();
            row.cpu += time.ns;
            row.commits += time.commits;
        }
        let on_logs = self.written.iter();
        for ((name, _), bytes) in on_logs.filter(|((_, dev), _)| self.log_devices.contains(dev)) {
            let row = rows.entry(name.clone()).or_default();
            row.written = row.written.saturating_add(*bytes);
        }
        let mut rows: Vec<ProcessRow> = rows
            .into_iter()
            .map(|(name, row)| ProcessRow { name, ..row })
            .collect();
        rows.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| a.name.cmp(&b.name)));
        let later = rows.split_off(rows.len().min(MOST_LISTED));
        let by_time = |a: &ProcessRow, b: &ProcessRow| b.cpu.cmp(&a.cpu).then_with(|| a.name.cmp(&b.name));
        let mut later: Vec<ProcessRow> = later.into_iter().filter(|row| row.cpu > 0).collect();
        later.sort_by(by_time);
        later.truncate(MOST_LISTED);
        rows.extend(later);
        rows.sort_by(by_time);
        rows
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::TimeRange;
    use logtrace_events::Process;

    use super::*;
    use crate::causes::Cause;
    use crate::charging::Segment;

    #[test]
    fn processes_with_the_cpu_are_listed_by_time() {
        let mut names = FrameNames::default();
        for (tgid, name) in [(100, "stress"), (101, "cc1")] {
            let name = name.to_owned();
            names.push_process(Process { tgid, name });
        }
        let waits = |wait, process, ns| Segment {
            range: TimeRange::new(0, ns),
            tid: 1,
            cause: Cause::own(wait),
            frames: Some(process),
        };
        let mut holders = OtherProcesses::default();
        let (stress, cc1) = (Frames::Process(0), Frames::Process(1));
        let segments = [
            waits(Wait::RunQueueProcess, cc1, 10),
            waits(Wait::RunQueueProcess, stress, 20),
            waits(Wait::RunQueueProcess, stress, 30),
            waits(Wait::RunQueue, Frames::Kernel(7), 1_000),
        ];
        let mut stacks = StackIndex::default();
        for (commit, segments) in [(1, &segments[..]), (2, &segments[1..2])] {
            stacks.sum(segments);
            holders.add(commit, &stacks);
        }
        let rows = holders.finish(&names).into_iter();
        let rows: Vec<_> = rows.map(|row| (row.name, row.cpu, row.commits)).collect();
        assert_eq!(rows, [("stress".to_owned(), 70, 2), ("cc1".to_owned(), 10, 1)]);
    }

    #[test]
    fn writes_count_on_the_file_systems_of_logs() {
        let mut holders = OtherProcesses::default();
        let writes = |tgid, dev, bytes, name: &str| OtherWrites {
            at_ns: 1,
            tgid,
            dev,
            bytes,
            name: name.to_owned(),
        };
        holders.add_writes(writes(1, 8, 100, "dd"));
        holders.note_log_device(8);
        holders.add_writes(writes(2, 8, 50, "dd"));
        holders.add_writes(writes(3, 9, 1_000, "cp"));
        let rows = holders.finish(&FrameNames::default()).into_iter();
        let rows: Vec<_> = rows.map(|row| (row.name, row.written, row.cpu)).collect();
        assert_eq!(rows, [("dd".to_owned(), 150, 0)]);
    }
}
