//! File of records that `--record` writes and the analysis can read.
//!
//! Layout: The magic bytes, then for each record its length as a little-endian `u32` and its bytes as in [`crate::wire`].

use std::io::{self, Read, Write};

use thiserror::Error;

/// First bytes of a recording; the digit is the version of the layout.
const MAGIC: [u8; 8] = *b"logtrac5";

/// Limit on the length of a record. A larger length means that the file is not a recording or is damaged.
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
    /// Length that no record has.
    #[error("the recording is damaged: a record of {0} bytes")]
    Length(u32),
}

/// Writes records to `W`; give it a buffered writer.
#[derive(Debug)]
pub struct RecordingWriter<W> {
    to: W,
}

impl<W: Write> RecordingWriter<W> {
    /// Starts a recording.
    pub fn new(mut to: W) -> io::Result<Self> {
        to.write_all(&MAGIC)?;
        Ok(Self { to })
    }

    /// Appends the bytes of one record.
    pub fn write(&mut self, record: &[u8]) -> io::Result<()> {
        let length = u32::try_from(record.len()).map_err(io::Error::other)?;
        self.to.write_all(&length.to_le_bytes())?;
        self.to.write_all(record)
    }

    /// Passes all bytes to the operating system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Reads the records of `R` one after the other; give it a buffered reader.
#[derive(Debug)]
pub struct RecordingReader<R> {
    from: R,
    bytes: Vec<u8>,
}

impl<R: Read> RecordingReader<R> {
    /// Starts to read. Refuses a file that is not a recording.
    pub fn new(mut from: R) -> Result<Self, RecordingError> {
        let mut magic = [0; MAGIC.len()];
        from.read_exact(&mut magic)?;
        if magic != MAGIC {
            return Err(RecordingError::Magic);
        }
        Ok(Self {
            from,
            bytes: Vec::new(),
        })
    }

    /// Returns the bytes of the next record, or `None` at the end. A last record that is cut short (by a run that was killed)
    /// is the end too.
    pub fn next_record(&mut self) -> Result<Option<&[u8]>, RecordingError> {
        let mut length = [0; 4];
        if !read_whole(&mut self.from, &mut length)? {
            return Ok(None);
        }
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(RecordingError::Length(length));
        }
        self.bytes.resize(length as usize, 0);
        let whole = read_whole(&mut self.from, &mut self.bytes)?;
        Ok(whole.then_some(&self.bytes))
    }
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

    #[test]
    fn a_recording_cut_anywhere_gives_its_whole_records() {
        let mut bytes = Vec::new();
        let mut writer = RecordingWriter::new(&mut bytes).unwrap();
        writer.write(b"first").unwrap();
        writer.write(b"second").unwrap();
        for cut in MAGIC.len()..=bytes.len() {
            let mut reader = RecordingReader::new(&bytes[..cut]).unwrap();
            let mut seen = 0;
            while reader.next_record().unwrap().is_some() {
                seen += 1;
            }
            let expected = usize::from(cut >= MAGIC.len() + 9) + usize::from(cut == bytes.len());
            assert_eq!(seen, expected, "cut at {cut}");
        }
    }

    #[test]
    fn something_else_is_refused() {
        assert!(matches!(
            RecordingReader::new(&b"#!/bin/sh"[..]),
            Err(RecordingError::Magic)
        ));
        let mut damaged = MAGIC.to_vec();
        damaged.extend_from_slice(&u32::MAX.to_le_bytes());
        let mut reader = RecordingReader::new(&damaged[..]).unwrap();
        assert!(matches!(
            reader.next_record(),
            Err(RecordingError::Length(u32::MAX))
        ));
    }
}
