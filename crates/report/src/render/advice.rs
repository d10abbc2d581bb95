//! Where a reader should look next: what the largest causes mean, and what to try.

use crate::causes::cause::Wait;
use crate::document::{CauseRow, Commits, Document};
use crate::render::sections::causes::{CauseLine, Subject, lines};
use crate::units;

/// The largest cause of all commits and, where it is another, of the slowest, each with what to try.
pub(crate) fn next(document: &Document, commits: &Commits) -> Vec<String> {
    let lines = lines(document, commits, 0.0);
    let Some((all, row)) = largest(&lines, |line| line.total) else {
        return Vec::new();
    };
    let mut texts = vec![sentence("largest cause", all.total, commits.total, &row)];
    if let Some((tail, tail_row)) = largest(&lines, |line| line.slowest)
        && tail_row != row
    {
        let title = "largest in the slowest 1 %";
        texts.push(sentence(title, tail.slowest, commits.slowest_total, &tail_row));
    }
    texts
}

fn sentence(title: &str, part: u64, whole: u64, row: &CauseRow) -> String {
    let share = units::percent(part, whole);
    format!("{title} ({share}): {}. {}.", name(row), meaning(row.wait))
}

fn largest(lines: &[CauseLine], by: fn(&CauseLine) -> u64) -> Option<(&CauseLine, CauseRow)> {
    let causes = lines.iter().filter_map(|line| match line.subject {
        Subject::Cause(row) => Some((line, row)),
        _ => None,
    });
    // Of equals the first, which is the largest of all commits.
    let largest = causes.rev().max_by_key(|(line, _)| by(line));
    largest.filter(|(line, _)| by(line) > 0)
}

fn name(row: &CauseRow) -> String {
    let file = row.file.zip(row.op).map(|(class, op)| format!("{class} {op} "));
    format!("{}{}, {}", file.unwrap_or_default(), row.wait, row.who)
}

fn meaning(wait: Wait) -> &'static str {
    match wait {
        Wait::OnCpu => "Code ran; a CPU profile of the server tells which",
        Wait::RunQueue => {
            "More threads could run than there are CPUs; try fewer connections, or a machine with more CPUs"
        }
        Wait::DataWriteback => "The file's own pages were on their way to the device; a faster device helps",
        Wait::JournalCommit => {
            "The file system wrote its journal; another file system, or one of its own for this file, may do without"
        }
        Wait::FlushQueue => "Flushes of one device wait for each other; logs on devices of their own do not",
        Wait::DeviceFlush => {
            "The device made its write cache durable; one with power-loss protection has nothing to flush"
        }
        Wait::DeviceIo => "The device read or wrote without the page cache; a faster device helps",
        Wait::FileSystemLock => {
            "Threads exclude each other inside the file system; another file system, or parted files, may not"
        }
        Wait::FileMetadata => {
            "Files were opened, created, removed or resized; larger logs (max_binlog_size) rotate less often"
        }
        Wait::Unclassified => {
            "The kernel stacks listed as unclassified; a rule for them would name the cause"
        }
        Wait::FileIo => "System calls on files; --detail io tells which files, and what they wait for",
        Wait::AsyncIo => {
            "Page reads and writes delay the commits; look at the buffer pool's size and innodb_io_capacity"
        }
        Wait::Timer => {
            "The server slept: a delay that was asked for (binlog_group_commit_sync_delay, binlog_commit_wait_usec), \
             or its own sleep between two looks"
        }
        Wait::Client => "The server waited for a socket; look at the client and the network",
        Wait::SemisyncAck => {
            "A replica had to acknowledge the transaction; look at the network to it, and at how it writes its relay log \
             (sync_relay_log)"
        }
        Wait::Unexplained => {
            "Nothing that was seen explains it; logtrace doctor tells which probes are missing"
        }
    }
}
