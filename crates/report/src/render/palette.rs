//! A colour for each wait, the same in every report.

use crate::causes::cause::Wait;
use crate::totals::breakdown::Part;

/// Red, green and blue.
pub(crate) type Rgb = (u8, u8, u8);

/// A colour that stands out on white and on black: blue for the device, red for the file system, green for the CPU,
/// grey for what is not known.
pub(crate) fn rgb(wait: Wait) -> Rgb {
    match wait {
        Wait::OnCpu => (0x3f, 0x9c, 0x63),
        Wait::RunQueue => (0x97, 0xb8, 0x3a),
        Wait::DataWriteback => (0xe3, 0x9a, 0x2d),
        Wait::JournalCommit => (0xdb, 0x5a, 0x3c),
        Wait::FlushQueue => (0x8a, 0x63, 0xb8),
        Wait::DeviceFlush => (0x2f, 0x74, 0xc0),
        Wait::DeviceIo => (0x5b, 0xa9, 0xd6),
        Wait::FileIo => (0x4a, 0x7d, 0x9c),
        Wait::FileSystemLock => (0xc4, 0x51, 0x7f),
        Wait::FileMetadata => (0xa8, 0x4a, 0x98),
        Wait::Unclassified => (0x8c, 0x7a, 0x66),
        Wait::AsyncIo => (0x2f, 0x9e, 0x9a),
        Wait::Timer => (0xcd, 0xb2, 0x1c),
        Wait::Client => (0x72, 0x87, 0xad),
        Wait::SemisyncAck => (0x4f, 0x5d, 0xc4),
        Wait::Unexplained => (0x9a, 0xa0, 0xa6),
    }
}

/// A colour for a part of a response time that is no commit.
pub(crate) fn of_part(part: Part) -> Option<Rgb> {
    match part {
        Part::Lag => Some((0xb8, 0x9a, 0x72)),
        Part::Client => Some(rgb(Wait::Client)),
        Part::BeforeCommit | Part::AfterCommit => Some((0xa9, 0xc9, 0xb5)),
        Part::Commit => None,
    }
}

/// The colour as HTML writes it.
pub(crate) fn hex(wait: Wait) -> String {
    let (red, green, blue) = rgb(wait);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
