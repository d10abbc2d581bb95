//! Colour and advice of each wait, the same in all reports.

use strum::EnumCount;

use crate::causes::cause::Wait;

/// Red, green and blue.
pub(crate) type Rgb = (u8, u8, u8);

/// Presentation of a wait.
pub(crate) struct WaitInfo {
    /// Colour that stands out on white and on black: blue for the device, red for the file system, green for the CPU,
    /// grey for unknown time.
    pub(crate) color: Rgb,
    /// Meaning of the wait and what to try, in one sentence without its full stop.
    pub(crate) advice: &'static str,
}

/// Presentation of each wait, in the order of the variants of [`Wait`].
const WAITS: [(Wait, Rgb, &str); Wait::COUNT] = [
    (
        Wait::OnCpu,
        (0x3f, 0x9c, 0x63),
        "Code was running; a CPU profile of the server shows which code",
    ),
    (
        Wait::RunQueue,
        (0x97, 0xb8, 0x3a),
        "More threads were runnable than there are CPUs; try fewer connections or more CPUs",
    ),
    (
        Wait::DataWriteback,
        (0xe3, 0x9a, 0x2d),
        "The file's own pages were being written to the device; a faster device helps",
    ),
    (
        Wait::JournalCommit,
        (0xdb, 0x5a, 0x3c),
        "The file system wrote its journal; another file system, or a separate one for this file, may avoid that",
    ),
    (
        Wait::FlushQueue,
        (0x8a, 0x63, 0xb8),
        "Flushes of one device wait for each other; put the logs on separate devices",
    ),
    (
        Wait::DeviceFlush,
        (0x2f, 0x74, 0xc0),
        "The device flushed its write cache; a device with power-loss protection has nothing to flush",
    ),
    (
        Wait::DeviceIo,
        (0x5b, 0xa9, 0xd6),
        "The device read or wrote without the page cache; a faster device helps",
    ),
    (
        Wait::FileSystemLock,
        (0xc4, 0x51, 0x7f),
        "Threads waited for locks inside the file system; try another file system, or separate file systems for \
         the files",
    ),
    (
        Wait::FileMetadata,
        (0xa8, 0x4a, 0x98),
        "Files were opened, created, removed or resized; larger logs (max_binlog_size) rotate less often",
    ),
    (
        Wait::Unclassified,
        (0x8c, 0x7a, 0x66),
        "No rule recognises these kernel stacks, which the report lists; a new rule would name the cause",
    ),
    (
        Wait::FileIo,
        (0x4a, 0x7d, 0x9c),
        "The server made system calls on files; --detail io shows which files and what they wait for",
    ),
    (
        Wait::AsyncIo,
        (0x2f, 0x9e, 0x9a),
        "Reads and writes of pages delayed the commits; check the size of the buffer pool and innodb_io_capacity",
    ),
    (
        Wait::Timer,
        (0xcd, 0xb2, 0x1c),
        "The server slept: a configured delay (binlog_group_commit_sync_delay, binlog_commit_wait_usec), or a \
         pause between two checks",
    ),
    (
        Wait::Client,
        (0x72, 0x87, 0xad),
        "The server waited for a socket; check the client and the network",
    ),
    (
        Wait::SemisyncAck,
        (0x4f, 0x5d, 0xc4),
        "A replica had to acknowledge the transaction; check the network to the replica, and how it writes its \
         relay log (sync_relay_log)",
    ),
    (
        Wait::Unexplained,
        (0x9a, 0xa0, 0xa6),
        "No record explains this time; logtrace doctor shows which probes are missing",
    ),
];

/// Returns the presentation of `wait`.
pub(crate) fn info(wait: Wait) -> WaitInfo {
    let (_, color, advice) = WAITS[wait as usize];
    WaitInfo { color, advice }
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_waits() {
        assert!(WAITS.iter().map(|(wait, ..)| *wait).eq(Wait::iter()));
    }
}
