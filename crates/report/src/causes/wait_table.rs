//! Colour and advice of each wait, the same in all reports.

use crate::causes::cause::Wait;
use crate::causes::rgb::Rgb;
use crate::causes::server_wait_table::{server_wait_advice, server_wait_color};

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
            Self::FileServer => (0x1f, 0x5c, 0x8a),
            Self::WakeUp => (0x6f, 0xb9, 0x8f),
            Self::RunQueueLoad => (0xb5, 0xc9, 0x5e),
            Self::RunQueueLogtrace => (0xc6, 0xd4, 0x83),
            Self::RunQueueKernel => (0x7d, 0x99, 0x2f),
            Self::RunQueueProcess => (0x6b, 0x85, 0x22),
            Self::Throttled => (0x4d, 0x6b, 0x1e),
            Self::JournalSpace => (0xb9, 0x3d, 0x3d),
            Self::DirtyThrottling => (0xd9, 0x7e, 0x5a),
            Self::BlockThrottling => (0x96, 0x4c, 0x2e),
            Self::MemoryReclaim => (0x9c, 0x3d, 0x5e),
            Self::Stopped => (0x3b, 0x3f, 0x46),
            Self::FileMetadata => (0xa8, 0x4a, 0x98),
            Self::Unclassified => (0x8c, 0x7a, 0x66),
            Self::FileIo => (0x4a, 0x7d, 0x9c),
            Self::AsyncIo => (0x2f, 0x9e, 0x9a),
            Self::Timer => (0xcd, 0xb2, 0x1c),
            Self::Client => (0x72, 0x87, 0xad),
            Self::SemisyncAck => (0x4f, 0x5d, 0xc4),
            Self::Unexplained => (0x9a, 0xa0, 0xa6),
            wait => server_wait_color(wait),
        }
    }

    /// Returns what the wait means and what to try, in one sentence without its full stop.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::OnCpu => "Code was running; a CPU profile of the server shows which code",
            Self::RunQueue => "Other threads of the server had the CPUs; try fewer connections or more CPUs",
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
            Self::FileServer => {
                "The file is on a network file system (NFS) or one in user space (FUSE), whose server was at work; check \
                 that server and the network, or move the file to a local disk"
            }
            Self::FileMetadata => {
                "Files were opened, created, removed or resized; larger logs (max_binlog_size) rotate less often"
            }
            Self::Unclassified => {
                "No rule recognises these kernel stacks, which the report lists; a new rule would name the cause"
            }
            Self::FileIo => {
                "The server made system calls that have no file in the trace: calls on directories, and calls that began \
                 before the trace"
            }
            Self::AsyncIo => {
                "Reads and writes of pages delayed the commits; check the size of the buffer pool and innodb_io_capacity"
            }
            Self::Timer => "The server slept for a set time; the flame graph shows the function that slept",
            Self::Client => "The server waited for a socket; check the client and the network",
            Self::SemisyncAck => {
                "A replica had to acknowledge the transaction; check the network to the replica, and how it writes its \
                 relay log (sync_relay_log)"
            }
            Self::Unexplained => {
                "No record explains this time; logtrace doctor shows which probes are missing"
            }
            wait => wait.limit_advice(),
        }
    }

    /// Returns the same for waits for a CPU, for space or for memory, and in functions of the server.
    fn limit_advice(self) -> &'static str {
        match self {
            Self::WakeUp => {
                "The CPU was idle and had to wake up; deep idle states (cpupower idle-set) and virtual machines that \
                 halt idle CPUs make this longer"
            }
            Self::RunQueueLoad => {
                "The load generator had the CPU; run it on CPUs of its own, or on another machine"
            }
            Self::RunQueueLogtrace => "logtrace itself had the CPU; trace less (--detail commit, --sample)",
            Self::RunQueueKernel => {
                "Threads of the kernel had the CPU: interrupts, writeback, the journal; spread interrupts over more CPUs"
            }
            Self::RunQueueProcess => {
                "Another process had the CPU, which the flame graph names; move it away, or give the server CPUs of its own"
            }
            Self::Throttled => {
                "The server's cgroup had used up its CPU quota (cpu.max, a container's CPU limit); raise the quota"
            }
            Self::JournalSpace => {
                "The file system's journal or log was full until older changes reached the device; a larger journal or a \
                 faster device helps"
            }
            Self::DirtyThrottling => {
                "The kernel held back writers of dirty pages; a faster device or higher limits (vm.dirty_bytes) help, and \
                 syncing more often"
            }
            Self::BlockThrottling => {
                "The block layer limited writes (write-back throttling, io.cost); check the cgroup's limits and \
                 queue/wbt_lat_usec of the device"
            }
            Self::MemoryReclaim => {
                "Memory was short: pages were reclaimed, or the cgroup was at its limit; give the server more memory, or \
                 it less buffer pool"
            }
            Self::Stopped => {
                "The server was stopped: by a signal (SIGSTOP), a debugger, a checkpoint of its container, or a frozen cgroup"
            }
            wait => server_wait_advice(wait),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use strum::IntoEnumIterator;

    use super::*;
    use crate::causes::server_wait_table::SERVER_WAITS;

    #[test]
    fn each_wait_has_its_own_advice_and_server_waits_share_colors() {
        let colors: BTreeSet<Rgb> = Wait::iter().map(Wait::color).collect();
        let advice: BTreeSet<&str> = Wait::iter().map(Wait::advice).collect();
        let waits = Wait::iter().count();
        assert_eq!(advice.len(), waits);
        assert_eq!(colors.len(), waits - SERVER_WAITS + 6);
    }
}
