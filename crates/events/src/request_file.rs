//! File of requests that `--record` writes and `logtrace join` reads.
//!
//! Layout, all numbers little-endian: the magic bytes; four `u64` (start and end of the window, `CLOCK_MONOTONIC` and
//! `CLOCK_REALTIME` at the start of the file); then for each request five `u64` (due, connection wait, sent, start of the
//! last attempt, done), three `u32` (retries, thread of the server or 0, outcome), and a `u32` of 0. An outcome is 0 for
//! done, 1 for a lost connection, 2 for a deadline that passed, and 65536 plus the code for an error of the server.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

use bytemuck::{Pod, Zeroable};
use logtrace_common::TimeRange;
use thiserror::Error;

use crate::recording::Clocks;
use crate::request::{Outcome, Request};

/// First bytes of the file; the digit is the version of the layout.
const MAGIC: [u8; 8] = *b"logtreq1";

/// First code of an error of the server.
const SERVER_ERROR: u32 = 1 << 16;

/// Error from reading the file.
#[derive(Debug, Error)]
pub enum RequestFileError {
    /// Failure to read the file.
    #[error("cannot read the requests")]
    Io(#[from] io::Error),
    /// File that has no requests of logtrace.
    #[error("this file has no requests of logtrace (or of another version)")]
    Magic,
    /// File without any byte.
    #[error("the file of requests is empty: the run was killed as it began")]
    Empty,
    /// More requests than the run had.
    #[error("the requests are damaged: there are more than the {0} of the run")]
    Many(u64),
    /// Request of zeros, as the holes of a file have.
    #[error("the requests are damaged: the one after {0} others never ended")]
    Hole(usize),
    /// Outcome that no request has.
    #[error("the requests are damaged: outcome {0}")]
    Outcome(u32),
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RawHeader {
    magic: [u8; 8],
    window: [u64; 2],
    clocks: [u64; 2],
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RawRequest {
    due_ns: u64,
    connection_wait_ns: u64,
    sent_ns: u64,
    attempt_ns: u64,
    done_ns: u64,
    retries: u32,
    thread: u32,
    outcome: u32,
    zero: u32,
}

/// Writes requests to `W`; give it a buffered writer.
#[derive(Debug)]
pub struct RequestsWriter<W> {
    to: W,
    clocks: Clocks,
}

impl<W: Write + Seek> RequestsWriter<W> {
    /// Starts the file. It has an empty window until [`finish`](Self::finish). The header is passed to the operating system at
    /// once: a run that is killed later leaves a file that can be read.
    pub fn new(mut to: W, clocks: Clocks) -> io::Result<Self> {
        to.write_all(bytemuck::bytes_of(&header(TimeRange::new(0, 0), clocks)))?;
        to.flush()?;
        Ok(Self { to, clocks })
    }

    /// Appends a request.
    pub fn write(&mut self, request: &Request) -> io::Result<()> {
        self.to.write_all(bytemuck::bytes_of(&raw(request)))
    }

    /// Writes the window, and passes all bytes to the operating system.
    pub fn finish(mut self, window: TimeRange) -> io::Result<()> {
        self.to.seek(SeekFrom::Start(0))?;
        self.to
            .write_all(bytemuck::bytes_of(&header(window, self.clocks)))?;
        self.to.flush()
    }
}

/// Requests of the window of a run, in the order in which they ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestsOfRun {
    /// Measured window; empty if the run did not finish.
    pub window: TimeRange,
    /// Clocks of the client's machine at the start.
    pub clocks: Clocks,
    /// The requests.
    pub requests: Vec<Request>,
}

impl RequestsOfRun {
    /// Reads a file with `most` requests; give it a buffered reader. A last request that is cut short is left out.
    pub fn read(mut from: impl Read, most: u64) -> Result<Self, RequestFileError> {
        let (mut header, mut first) = (RawHeader::zeroed(), [0]);
        match from.read_exact(&mut first) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(RequestFileError::Empty),
            begun => begun?,
        }
        let whole = (&first[..])
            .chain(&mut from)
            .read_exact(bytemuck::bytes_of_mut(&mut header));
        match whole {
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error.into()),
            _ if header.magic != MAGIC => return Err(RequestFileError::Magic),
            whole => whole?,
        }
        let [[start_ns, end_ns], [monotonic_ns, realtime_ns]] =
            [header.window, header.clocks].map(|pair| pair.map(u64::from_le));
        let mut requests = Vec::new();
        let mut raw = RawRequest::zeroed();
        loop {
            match from.read_exact(bytemuck::bytes_of_mut(&mut raw)) {
                Ok(()) if requests.len() as u64 == most => return Err(RequestFileError::Many(most)),
                // No request ends when the clock begins.
                Ok(()) if raw.done_ns == 0 => return Err(RequestFileError::Hole(requests.len())),
                Ok(()) => requests.push(request(&raw)?),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self {
            window: TimeRange::new(start_ns, end_ns),
            clocks: Clocks {
                monotonic_ns,
                realtime_ns,
            },
            requests,
        })
    }
}

fn header(window: TimeRange, clocks: Clocks) -> RawHeader {
    RawHeader {
        magic: MAGIC,
        window: [window.start_ns, window.end_ns].map(u64::to_le),
        clocks: [clocks.monotonic_ns, clocks.realtime_ns].map(u64::to_le),
    }
}

fn raw(request: &Request) -> RawRequest {
    RawRequest {
        due_ns: request.due_ns.to_le(),
        connection_wait_ns: request.connection_wait_ns.to_le(),
        sent_ns: request.sent_ns.to_le(),
        attempt_ns: request.attempt_ns.to_le(),
        done_ns: request.done_ns.to_le(),
        retries: request.retries.to_le(),
        // No thread has the id 0.
        thread: request.thread.unwrap_or(0).to_le(),
        outcome: outcome_code(request.outcome).to_le(),
        zero: 0,
    }
}

fn outcome_code(outcome: Outcome) -> u32 {
    match outcome {
        Outcome::Done => 0,
        Outcome::Disconnected => 1,
        Outcome::TimedOut => 2,
        Outcome::ServerError(code) => SERVER_ERROR | u32::from(code),
    }
}

fn request(raw: &RawRequest) -> Result<Request, RequestFileError> {
    let outcome = match u32::from_le(raw.outcome) {
        0 => Outcome::Done,
        1 => Outcome::Disconnected,
        2 => Outcome::TimedOut,
        code => {
            let error = code.checked_sub(SERVER_ERROR).map(u16::try_from);
            Outcome::ServerError(
                error
                    .and_then(Result::ok)
                    .ok_or(RequestFileError::Outcome(code))?,
            )
        }
    };
    Ok(Request {
        due_ns: u64::from_le(raw.due_ns),
        connection_wait_ns: u64::from_le(raw.connection_wait_ns),
        sent_ns: u64::from_le(raw.sent_ns),
        attempt_ns: u64::from_le(raw.attempt_ns),
        done_ns: u64::from_le(raw.done_ns),
        outcome,
        retries: u32::from_le(raw.retries),
        thread: Some(u32::from_le(raw.thread)).filter(|&thread| thread != 0),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    const CLOCKS: Clocks = Clocks {
        monotonic_ns: 5,
        realtime_ns: 6,
    };

    fn any_request() -> impl Strategy<Value = Request> {
        let outcome = prop_oneof![
            Just(Outcome::Done),
            Just(Outcome::Disconnected),
            Just(Outcome::TimedOut),
            any::<u16>().prop_map(Outcome::ServerError),
        ];
        (any::<[u64; 5]>(), any::<u32>(), any::<Option<u32>>(), outcome).prop_map(
            |(times, retries, thread, outcome)| Request {
                due_ns: times[0],
                connection_wait_ns: times[1],
                sent_ns: times[2],
                attempt_ns: times[3],
                done_ns: times[4].max(1),
                outcome,
                retries,
                thread: thread.filter(|&thread| thread != 0),
            },
        )
    }

    #[test]
    fn holes_empty_files_and_more_requests_than_the_run_had_are_refused() {
        let request = Request {
            due_ns: 1,
            connection_wait_ns: 0,
            sent_ns: 1,
            attempt_ns: 1,
            done_ns: 2,
            outcome: Outcome::Done,
            retries: 0,
            thread: None,
        };
        let mut file = Cursor::new(Vec::new());
        let mut writer = RequestsWriter::new(&mut file, CLOCKS).unwrap();
        (0..3).for_each(|_| writer.write(&request).unwrap());
        writer.finish(TimeRange::new(1, 2)).unwrap();
        let mut bytes = file.into_inner();
        assert_eq!(RequestsOfRun::read(&bytes[..], 3).unwrap().requests.len(), 3);
        let many = RequestsOfRun::read(&bytes[..], 2);
        assert!(matches!(many, Err(RequestFileError::Many(2))), "{many:?}");
        bytes.resize(bytes.len() + 100, 0);
        let hole = RequestsOfRun::read(&bytes[..], u64::MAX);
        assert!(matches!(hole, Err(RequestFileError::Hole(3))), "{hole:?}");
        let endless = RequestsOfRun::read(&[&bytes[..40], &[0; 56]].concat()[..], u64::MAX);
        assert!(matches!(endless, Err(RequestFileError::Hole(0))), "{endless:?}");
        let empty = RequestsOfRun::read(&[][..], u64::MAX);
        assert!(matches!(empty, Err(RequestFileError::Empty)), "{empty:?}");
    }

    #[test]
    fn a_file_can_be_read_from_its_first_moment_on() {
        let file = io::BufWriter::new(Cursor::new(Vec::new()));
        let writer = RequestsWriter::new(file, CLOCKS).unwrap();
        let bytes = writer.to.get_ref().get_ref();
        let read = RequestsOfRun::read(&bytes[..], u64::MAX).unwrap();
        assert!(read.window.is_empty() && read.clocks == CLOCKS && read.requests.is_empty());
    }

    proptest! {
        #[test]
        fn requests_are_read_as_they_were_written(
            requests in proptest::collection::vec(any_request(), 0..20),
            cut in 0usize..56,
        ) {
            let mut file = Cursor::new(Vec::new());
            let mut writer = RequestsWriter::new(&mut file, CLOCKS).unwrap();
            requests.iter().for_each(|request| writer.write(request).unwrap());
            let window = TimeRange::new(1, 2);
            writer.finish(window).unwrap();
            let bytes = file.into_inner();
            let read = RequestsOfRun::read(&bytes[..], u64::MAX).unwrap();
            prop_assert_eq!(&read, &RequestsOfRun { window, clocks: CLOCKS, requests: requests.clone() });
            if cut > 0 && !requests.is_empty() {
                let read = RequestsOfRun::read(&bytes[..bytes.len() - cut], u64::MAX).unwrap();
                prop_assert_eq!(read.requests, &requests[..requests.len() - 1]);
            }
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = RequestsOfRun::read(&bytes[..], u64::MAX);
            let _ = RequestsOfRun::read(&[bytemuck::bytes_of(&header(TimeRange::new(0, 0), CLOCKS)), &bytes].concat()[..], u64::MAX);
        }
    }
}
