//! File of records that `--record` writes and the analysis can read.
//!
//! Layout: The magic bytes, then entries, each with its kind (one byte), its length as a little-endian `u32`, and its
//! bytes. The first entry is the [`RecordingHeader`] as JSON. The others are in the order in which the live analysis got
//! them: a record as in [`crate::wire`], or one or two times as little-endian `u64`.

use std::io::{self, Read, Write};

use logtrace_common::{LogNames, TimeRange};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::record::Tid;

/// First bytes of a recording; the digit is the version of the layout.
const MAGIC: [u8; 8] = *b"logtrac6";

/// Limit on the length of an entry. A larger length means that the file is not a recording or is damaged.
const LONGEST: u32 = 1 << 20;

/// Error from reading a recording.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// Failure to read the file.
    #[error("cannot read the recording")]
    Io(#[from] io::Error),
    /// File that is not a recording.
    #[error("this is not a recording of logtrace (or one of another version)")]
    Magic,
    /// File without any byte.
    #[error("the recording is empty: the run was killed as it began")]
    Empty,
    /// Length that no entry has.
    #[error("the recording is damaged: an entry of {0} bytes")]
    Length(u32),
    /// Entry that is none.
    #[error("the recording is damaged: an entry of kind {0} with {1} bytes")]
    Entry(u8, usize),
    /// First entry that is no header.
    #[error("the recording is damaged: it does not name its server")]
    Header,
}

/// Facts that an analysis needs besides the records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// Process id of the server.
    pub server_tgid: u32,
    /// Names of the server's logs.
    pub logs: LogNames,
    /// Thread of the server that receives the acknowledgements of replicas, if there is one.
    pub ack_receiver: Option<Tid>,
    /// Thread of the server that receives the messages of its Galera cluster, if there is one.
    #[serde(default)]
    pub cluster_receiver: Option<Tid>,
    /// Whether statements outside of commits are explained.
    pub statements: bool,
    /// Clocks of the machine at the start.
    pub clocks: Clocks,
}

/// Two clocks of one machine, read at the same time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// `CLOCK_MONOTONIC`, the clock of all records and requests.
    pub monotonic_ns: u64,
    /// `CLOCK_REALTIME`: since 1970.
    pub realtime_ns: u64,
}

/// Entry of a recording, after its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// Bytes of a record.
    Record(&'a [u8]),
    /// Records of this period were lost.
    Lost(TimeRange),
    /// The measured window became known.
    Window(TimeRange),
    /// The measured window ended at this time, earlier than announced.
    WindowEnd(u64),
}

/// Kinds of entries in the file.
mod kind {
    pub(super) const RECORD: u8 = 0;
    pub(super) const HEADER: u8 = 1;
    pub(super) const LOST: u8 = 2;
    pub(super) const WINDOW: u8 = 3;
    pub(super) const WINDOW_END: u8 = 4;
}

/// Writes entries to `W`; give it a buffered writer.
#[derive(Debug)]
pub struct RecordingWriter<W> {
    to: W,
}

impl<W: Write> RecordingWriter<W> {
    /// Starts a recording. The header is passed to the operating system at once: a run that is killed later leaves a recording
    /// that can be read.
    pub fn new(mut to: W, header: &RecordingHeader) -> io::Result<Self> {
        to.write_all(&MAGIC)?;
        let mut writer = Self { to };
        writer.append(kind::HEADER, &serde_json::to_vec(header)?)?;
        writer.flush()?;
        Ok(writer)
    }

    /// Appends an entry.
    pub fn write(&mut self, entry: Entry<'_>) -> io::Result<()> {
        match entry {
            Entry::Record(record) => self.append(kind::RECORD, record),
            Entry::Lost(period) => self.append(kind::LOST, &range_bytes(period)),
            Entry::Window(window) => self.append(kind::WINDOW, &range_bytes(window)),
            Entry::WindowEnd(at_ns) => self.append(kind::WINDOW_END, &at_ns.to_le_bytes()),
        }
    }

    fn append(&mut self, kind: u8, bytes: &[u8]) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        self.to.write_all(&[kind])?;
        self.to.write_all(&length.to_le_bytes())?;
        self.to.write_all(bytes)
    }

    /// Passes all bytes to the operating system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Reads the entries of `R` one after the other; give it a buffered reader.
#[derive(Debug)]
pub struct RecordingReader<R> {
    from: R,
    header: RecordingHeader,
    bytes: Vec<u8>,
}

impl<R: Read> RecordingReader<R> {
    /// Starts to read. Refuses a file that is not a recording.
    pub fn new(mut from: R) -> Result<Self, RecordingError> {
        let (mut first, mut rest) = ([0], [0; MAGIC.len() - 1]);
        if !read_whole(&mut from, &mut first)? {
            return Err(RecordingError::Empty);
        }
        let is_whole = read_whole(&mut from, &mut rest)?;
        if !is_whole || !MAGIC.iter().eq(first.iter().chain(&rest)) {
            return Err(RecordingError::Magic);
        }
        let mut bytes = Vec::new();
        let header = match next_bytes(&mut from, &mut bytes)? {
            Some(kind::HEADER) => serde_json::from_slice(&bytes).map_err(|_| RecordingError::Header)?,
            _ => return Err(RecordingError::Header),
        };
        Ok(Self { from, header, bytes })
    }

    /// Returns the facts that an analysis needs besides the records.
    pub fn header(&self) -> &RecordingHeader {
        &self.header
    }

    /// Returns the next entry, or `None` at the end. A last entry that is cut short (by a run that was killed) is the end
    /// too.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, RecordingError> {
        let Some(kind) = next_bytes(&mut self.from, &mut self.bytes)? else {
            return Ok(None);
        };
        let bytes = self.bytes.as_slice();
        let times = bytes.as_chunks().0;
        let entry = match (kind, times, bytes.len()) {
            // The holes of a file look like records without a byte, and could go on for hours.
            (kind::RECORD, _, 1..) => Entry::Record(bytes),
            (kind::LOST, [start, end], 16) => Entry::Lost(range(*start, *end)),
            (kind::WINDOW, [start, end], 16) => Entry::Window(range(*start, *end)),
            (kind::WINDOW_END, [at], 8) => Entry::WindowEnd(u64::from_le_bytes(*at)),
            (kind, _, length) => return Err(RecordingError::Entry(kind, length)),
        };
        Ok(Some(entry))
    }

    /// Returns the bytes of the next record, or `None` at the end.
    pub fn next_record(&mut self) -> Result<Option<&[u8]>, RecordingError> {
        loop {
            match next_bytes(&mut self.from, &mut self.bytes)? {
                Some(kind::RECORD) if self.bytes.is_empty() => {
                    return Err(RecordingError::Entry(kind::RECORD, 0));
                }
                Some(kind::RECORD) => return Ok(Some(&self.bytes)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }
}

/// Reads the next entry into `bytes` and returns its kind, or `None` at the end.
fn next_bytes(from: &mut impl Read, bytes: &mut Vec<u8>) -> Result<Option<u8>, RecordingError> {
    let mut head = [0; 5];
    if !read_whole(from, &mut head)? {
        return Ok(None);
    }
    let [kind, length @ ..] = head;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(RecordingError::Length(length));
    }
    bytes.resize(length as usize, 0);
    let whole = read_whole(from, bytes)?;
    Ok(whole.then_some(kind))
}

fn range_bytes(range: TimeRange) -> [u8; 16] {
    (u128::from(range.end_ns) << 64 | u128::from(range.start_ns)).to_le_bytes()
}

fn range(start: [u8; 8], end: [u8; 8]) -> TimeRange {
    TimeRange::new(u64::from_le_bytes(start), u64::from_le_bytes(end))
}

fn read_whole(from: &mut impl Read, into: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(into) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> RecordingHeader {
        RecordingHeader {
            server_tgid: 7,
            logs: LogNames {
                binlog: "binlog".into(),
                slow_log: String::new(),
                general_log: String::new(),
            },
            ack_receiver: Some(9),
            cluster_receiver: Some(8),
            statements: true,
            clocks: Clocks::default(),
        }
    }

    #[test]
    fn a_recording_cut_anywhere_gives_its_whole_entries() {
        let entries = [
            Entry::Record(b"first"),
            Entry::Lost(TimeRange::new(1, 2)),
            Entry::Window(TimeRange::new(3, u64::MAX)),
            Entry::Record(b"2"),
            Entry::WindowEnd(5),
        ];
        let mut bytes = Vec::new();
        RecordingWriter::new(&mut bytes, &header()).unwrap();
        let start = bytes.len();
        let mut writer = RecordingWriter { to: &mut bytes };
        for entry in entries {
            writer.write(entry).unwrap();
        }
        let mut most = 0;
        for cut in start..=bytes.len() {
            let mut reader = RecordingReader::new(&bytes[..cut]).unwrap();
            assert_eq!(reader.header(), &header());
            let mut seen = 0;
            while let Some(entry) = reader.next_entry().unwrap() {
                assert_eq!(entry, entries[seen]);
                seen += 1;
            }
            assert!(seen >= most, "cut at {cut}");
            most = seen;
        }
        assert_eq!(most, entries.len());
        let mut reader = RecordingReader::new(&bytes[..]).unwrap();
        assert_eq!(reader.next_record().unwrap(), Some(&b"first"[..]));
        assert_eq!(reader.next_record().unwrap(), Some(&b"2"[..]));
        assert_eq!(reader.next_record().unwrap(), None);
    }

    #[test]
    fn a_hole_in_a_recording_is_its_end_with_an_error() {
        let mut bytes = Vec::new();
        let mut writer = RecordingWriter::new(&mut bytes, &header()).unwrap();
        writer.write(Entry::Record(b"first")).unwrap();
        bytes.resize(bytes.len() + 100, 0);
        let mut reader = RecordingReader::new(&bytes[..]).unwrap();
        assert_eq!(reader.next_entry().unwrap(), Some(Entry::Record(b"first")));
        let error = reader.next_entry().unwrap_err();
        assert!(matches!(error, RecordingError::Entry(0, 0)), "{error}");
        let empty = RecordingReader::new(&[][..]);
        assert!(matches!(empty, Err(RecordingError::Empty)));
    }

    #[test]
    fn a_recording_can_be_read_from_its_first_moment_on() {
        let writer = RecordingWriter::new(io::BufWriter::new(Vec::new()), &header()).unwrap();
        let mut reader = RecordingReader::new(&writer.to.get_ref()[..]).unwrap();
        assert_eq!(reader.next_entry().unwrap(), None);
        assert_eq!(reader.header(), &header());
    }

    #[test]
    fn something_else_is_refused() {
        assert!(matches!(
            RecordingReader::new(&b"#!/bin/sh"[..]),
            Err(RecordingError::Magic)
        ));
        let mut damaged = MAGIC.to_vec();
        damaged.extend([kind::RECORD, 0, 0, 0, 0]);
        assert!(matches!(
            RecordingReader::new(&damaged[..]),
            Err(RecordingError::Header)
        ));
        let mut bytes = Vec::new();
        RecordingWriter::new(&mut bytes, &header()).unwrap();
        for (entry, is_length) in [([0, 255, 255, 255, 255], true), ([4, 0, 0, 0, 0], false)] {
            let damaged = [&bytes[..], &entry].concat();
            let error = RecordingReader::new(&damaged[..])
                .unwrap()
                .next_entry()
                .unwrap_err();
            assert_eq!(
                matches!(error, RecordingError::Length(u32::MAX)),
                is_length,
                "{error}"
            );
            assert_eq!(
                matches!(error, RecordingError::Entry(4, 0)),
                !is_length,
                "{error}"
            );
        }
    }
}
