//! Tracks of threads and devices, as an export writes them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use logtrace_events::Tid;

use super::slices::{Slice, events, lanes};
use super::trace_file::{Event, PROCESS, TraceFile};

/// Parts of the numbers of tracks.
const THREADS: u64 = 2 << 32;
const EXPLAINED: u64 = 3 << 32;
const DEVICES: u64 = 4 << 32;

/// Slices by thread and device, and the arrows between threads.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    /// Names of threads, as far as they are known.
    pub(super) names: BTreeMap<Tid, String>,
    pub(super) threads: BTreeMap<Tid, Vec<Slice>>,
    /// Parts of commits by the thread of the commit.
    pub(super) explained: BTreeMap<Tid, Vec<Slice>>,
    /// Flushes by device, `major:minor`.
    pub(super) devices: BTreeMap<String, Vec<Slice>>,
    /// Begins and ends of arrows that are no part of a slice.
    pub(super) arrows: Vec<Event>,
}

/// Returns the number of a thread's track.
pub(super) fn thread_track(tid: Tid) -> u64 {
    THREADS + u64::from(tid)
}

impl Tracks {
    /// Returns the number of slices.
    pub(super) fn slices(&self) -> u64 {
        let threads = self.threads.values().chain(self.explained.values());
        let all = threads.chain(self.devices.values());
        all.map(|slices| slices.len() as u64).sum()
    }

    /// Begins a file with all of them. `stacks` are the call stacks of slices by their ids, outermost function first.
    pub(super) fn write<W: Write>(
        self,
        (pid, server): (u32, &str),
        stacks: impl IntoIterator<Item = (u32, Vec<String>)>,
        to: W,
    ) -> io::Result<TraceFile<W>> {
        let mut file = TraceFile::begin(to)?;
        file.process(pid, server)?;
        for &tid in self.threads.keys() {
            let is_connection = self.explained.contains_key(&tid);
            let usual = if is_connection { "connection" } else { "thread" };
            let name = self.names.get(&tid).map_or(usual, String::as_str);
            file.thread(thread_track(tid), pid, tid, name)?;
        }
        for (id, functions) in stacks {
            file.call_stack(id, functions)?;
        }
        // An arrow begins at the time at which it ends, and its begin has to be read first.
        file.events(self.arrows)?;
        for (tid, slices) in self.threads {
            file.events(events(thread_track(tid), slices))?;
        }
        for (tid, slices) in self.explained {
            let track = EXPLAINED + u64::from(tid);
            file.named(track, thread_track(tid), "explained", 0)?;
            file.events(events(track, slices))?;
        }
        write_devices(&mut file, self.devices)?;
        Ok(file)
    }
}

/// Writes the flushes of each device, in as many tracks as there are flushes at once.
fn write_devices<W: Write>(file: &mut TraceFile<W>, devices: BTreeMap<String, Vec<Slice>>) -> io::Result<()> {
    let lanes = devices.into_iter().flat_map(|(device, slices)| {
        let lanes = lanes(slices).into_iter();
        lanes.map(move |lane| (device.clone(), lane))
    });
    for (track, (device, lane)) in (DEVICES..).zip(lanes) {
        file.named(track, PROCESS, &format!("flushes of {device}"), 1)?;
        file.events(events(track, lane))?;
    }
    Ok(())
}
