//! Colour and advice of each wait, the same in all reports.

use crate::causes::cause::Wait;

/// Red, green and blue.
pub(crate) type Rgb = (u8, u8, u8);

impl Wait {
    /// Returns the colour. It stands out on white and on black: blue for the device, red for the file system, green for the
    /// CPU, grey for unknown time.
    pub(crate) fn color(self) -> Rgb {
        match self {
            Self::OnCpu => (0x3f, 0x9c, 0x63),
            Self::RunQueue => (0x97, 0xb8, 0x3a),
            Self::DataWriteback => (0xe3, 0x9a, 0x2d),
            Self::JournalCommit => (0xdb, 0x5a, 0x3c),
            Self::FlushQueue => (0x8a, 0x63, 0xb8),
            Self::DeviceFlush => (0x2f, 0x74, 0xc0),
            Self::DeviceIo => (0x5b, 0xa9, 0xd6),
            Self::FileSystemLock => (0xc4, 0x51, 0x7f),
            Self::FileMetadata => (0xa8, 0x4a, 0x98),
            Self::Unclassified => (0x8c, 0x7a, 0x66),
            Self::FileIo => (0x4a, 0x7d, 0x9c),
            Self::AsyncIo => (0x2f, 0x9e, 0x9a),
            Self::Timer => (0xcd, 0xb2, 0x1c),
            Self::Client => (0x72, 0x87, 0xad),
            Self::SemisyncAck => (0x4f, 0x5d, 0xc4),
            Self::Unexplained => (0x9a, 0xa0, 0xa6),
        }
    }

    /// Returns what the wait means and what to try, in one sentence without its full stop.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::OnCpu => "Code was running; a CPU profile of the server shows which code",
            Self::RunQueue => {
                "More threads were runnable than there are CPUs; try fewer connections or more CPUs"
            }
            Self::DataWriteback => {
                "The file's own pages were being written to the device; a faster device helps"
            }
            Self::JournalCommit => {
                "The file system wrote its journal; another file system, or a separate one for this file, may avoid that"
            }
            Self::FlushQueue => "Flushes of one device wait for each other; put the logs on separate devices",
            Self::DeviceFlush => {
                "The device flushed its write cache; a device with power-loss protection has nothing to flush"
            }
            Self::DeviceIo => "The device read or wrote without the page cache; a faster device helps",
            Self::FileSystemLock => {
                "Threads waited for locks inside the file system; try another file system, or separate file systems for \
                 the files"
            }
            Self::FileMetadata => {
                "Files were opened, created, removed or resized; larger logs (max_binlog_size) rotate less often"
            }
            Self::Unclassified => {
                "No rule recognises these kernel stacks, which the report lists; a new rule would name the cause"
            }
            Self::FileIo => {
                "The server made system calls on files; --detail io shows which files and what they wait for"
            }
            Self::AsyncIo => {
                "Reads and writes of pages delayed the commits; check the size of the buffer pool and innodb_io_capacity"
            }
            Self::Timer => {
                "The server slept: a configured delay (binlog_group_commit_sync_delay, binlog_commit_wait_usec), or a \
                 pause between two checks"
            }
            Self::Client => "The server waited for a socket; check the client and the network",
            Self::SemisyncAck => {
                "A replica had to acknowledge the transaction; check the network to the replica, and how it writes its \
                 relay log (sync_relay_log)"
            }
            Self::Unexplained => {
                "No record explains this time; logtrace doctor shows which probes are missing"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn each_wait_has_its_own_color_and_advice() {
        let colors: BTreeSet<Rgb> = Wait::iter().map(Wait::color).collect();
        let advice: BTreeSet<&str> = Wait::iter().map(Wait::advice).collect();
        let waits = Wait::iter().count();
        assert_eq!((colors.len(), advice.len()), (waits, waits));
    }
}
