//! Remedies other than settings of the server.

use logtrace_attribution::cause::{Wait, Who};
use logtrace_common::{Detail, FileClass, inert, units};
use logtrace_events::IoOp;

use crate::advice::variables::variables_of;
use crate::document::Document;

/// Page with the measurements of file systems and disks.
const STUDY: &str = "(docs/studies/commit-path.md)";

/// Returns what helps against a wait, as a part of a sentence; `None` if settings alone govern it.
pub(super) fn remedy(document: &Document, wait: Wait) -> Option<String> {
    let place = place(document, wait);
    let file_system = place.map(|(class, _)| file_system_of(document, class));
    match (wait, file_system) {
        (Wait::JournalCommit, _) if place.is_some_and(|place| is_mostly_flush(document, place)) => Some(
            format!("the device's flushes took most of it: power-loss protection avoids them {STUDY}"),
        ),
        (Wait::JournalCommit, Some("ext4")) => Some(format!(
            "one connection does 13 to 26 % more on xfs, 16 do as much {STUDY}"
        )),
        (Wait::JournalCommit | Wait::FileSystemLock, Some("btrfs")) => {
            Some(format!("btrfs does 0.37 to 0.79 of what ext4 does {STUDY}"))
        }
        (Wait::SemisyncAck, _) => semisync(document),
        (Wait::RunQueueProcess, _) => Some(match process(document) {
            Some(name) => format!("move {name} to other CPUs, or give the server CPUs of its own"),
            None => wait.remedy()?.to_owned(),
        }),
        (Wait::DeviceFlush, _) => Some(format!("{} {STUDY}", wait.remedy()?)),
        (Wait::CommitStage, _) if !has_commits_in_front(document) => {
            Some("no commit in front was seen; the flame graph names the function".to_owned())
        }
        (Wait::FileIo, _) if has_no_files(document) => Some("--detail io shows which files".to_owned()),
        (wait, _) => wait.remedy().map(str::to_owned),
    }
}

/// Returns the name of the process that had the CPU longest.
fn process(document: &Document) -> Option<String> {
    let processes = document.holders.iter().flat_map(|holders| &holders.processes);
    let process = processes.max_by_key(|process| process.cpu)?;
    (process.cpu > 0).then(|| inert::line(&process.name))
}

/// Returns what helps against waits for a replica, and the limit on them.
fn semisync(document: &Document) -> Option<String> {
    let settings = &document.server.settings;
    let mut limits = variables_of(Wait::SemisyncAck).filter(|name| name.ends_with("_timeout"));
    let limit = limits.find_map(|name| Some((name, settings.get(name)?)));
    let limit = limit.map(|(name, ms)| format!("; {name} ({ms} ms) ends the wait"));
    Some(format!(
        "{}{}",
        Wait::SemisyncAck.remedy()?,
        limit.unwrap_or_default()
    ))
}

/// Returns the calls on files in which most of a wait was.
fn place(document: &Document, wait: Wait) -> Option<(FileClass, IoOp)> {
    let rows = document.causes.iter().filter(|row| row.cause.wait == wait);
    rows.max_by_key(|row| row.total)?.cause.io
}

/// Returns whether flushes of the device under these files take at least half as long as the calls, where they were traced.
fn is_mostly_flush(document: &Document, place: (FileClass, IoOp)) -> bool {
    let calls = document.files().iter().filter(|row| (row.class, row.op) == place);
    let (count, total) = calls.fold((0u64, 0u64), |(count, total), row| {
        (count.saturating_add(row.count), total.saturating_add(row.total))
    });
    let call_ns = units::mean(total, count);
    let flush_ns = flush_ns(document, place.0);
    matches!((flush_ns, call_ns), (Some(flush), Some(call)) if call > 0 && flush.saturating_mul(2) >= call)
}

/// Returns the mean duration of the flushes of the disk with the files of a class, whoever asked for them.
fn flush_ns(document: &Document, class: FileClass) -> Option<u64> {
    let device = device_of(document, class).strip_prefix("/dev/")?;
    let mut disks = document.host.iter().flat_map(|host| &host.disks);
    // A partition begins with the name of its disk.
    let disk = disks.find(|disk| device.starts_with(&disk.name) || disk.leg_of.as_deref() == Some(device))?;
    let mut flushed = document.devices.iter().flatten();
    let row = flushed.find(|row| row.device == disk.number)?;
    units::mean(row.total, row.flushes)
}

/// Returns whether any commit waited for what another one did.
fn has_commits_in_front(document: &Document) -> bool {
    let mut causes = document.causes.iter();
    causes.any(|row| matches!(row.cause.who, Who::Leader | Who::PreviousGroup) && row.total > 0)
}

fn file_system_of(document: &Document, class: FileClass) -> &str {
    let server = &document.server;
    let mut placed = server.placement.iter();
    let placed = placed.find(|placed| placed.class == class);
    placed.map_or(server.file_system.as_str(), |placed| placed.file_system.as_str())
}

fn device_of(document: &Document, class: FileClass) -> &str {
    let server = &document.server;
    let mut placed = server.placement.iter();
    let placed = placed.find(|placed| placed.class == class);
    placed.map_or(server.device.as_str(), |placed| placed.device.as_str())
}

/// Returns whether calls on files were traced without their files.
fn has_no_files(document: &Document) -> bool {
    let detail = document.tracing.as_ref().map(|tracing| tracing.detail.parse());
    matches!(detail, Some(Ok(Detail::Commit)))
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::{DeviceRow, Distribution, FileRow};
    use logtrace_attribution::cause::Cause;
    use logtrace_common::Flavor;

    use super::*;
    use crate::advice::samples::{of_cause, run};
    use crate::document::Disk;

    /// Returns a run whose commits wait for the journal in syncs of the binlog, 2 ms each, while a disk is flushed.
    fn of_journal(disk: &str, flush_ns: u64) -> Document {
        let place = (FileClass::Binlog, IoOp::Fsync);
        let cause = Cause {
            io: Some(place),
            ..Cause::own(Wait::JournalCommit)
        };
        let mut document = of_cause(Flavor::MySql, &[], cause);
        document.files = Some(vec![FileRow {
            class: place.0,
            path: "/binlog.000001".to_owned(),
            op: place.1,
            files: 1,
            count: 10,
            bytes: 0,
            total: 20_000_000,
            distribution: Distribution::default(),
            flush_waits: 0,
            journal_waits: 10,
            errors: 0,
        }]);
        document.devices = Some(vec![DeviceRow {
            device: "253:0".to_owned(),
            flushes: 100,
            total: 100 * flush_ns,
            distribution: Distribution::default(),
        }]);
        document.host.as_mut().unwrap().disks.push(Disk {
            name: disk.to_owned(),
            number: "253:0".to_owned(),
            leg_of: None,
            scheduler: "none".to_owned(),
            write_cache: "write back".to_owned(),
            fua: false,
            rotational: false,
            hardware_queues: 1,
        });
        document
    }

    #[test]
    fn a_journal_that_waits_for_the_devices_flush_is_not_helped_by_another_file_system() {
        let remedy = |disk, flush_ns| remedy(&of_journal(disk, flush_ns), Wait::JournalCommit).unwrap();
        assert!(remedy("vda", 1_000_000).starts_with("the device's flushes took most of it"));
        for (disk, flush_ns) in [("vda", 900_000), ("sdb", 1_000_000)] {
            let remedy = remedy(disk, flush_ns);
            assert!(remedy.contains("more on xfs"), "{disk} {flush_ns}: {remedy}");
        }
    }

    #[test]
    fn a_stage_is_blamed_on_a_commit_in_front_only_if_there_was_one() {
        let stage = (Cause::own(Wait::CommitStage), 700, 7);
        let alone = run(Flavor::MariaDb, &[], &[stage, (Cause::own(Wait::OnCpu), 300, 3)]);
        let remedies = |document: &Document| remedy(document, Wait::CommitStage).unwrap();
        assert!(remedies(&alone).starts_with("no commit in front was seen"));
        for who in [Who::Leader, Who::PreviousGroup] {
            let other = Cause {
                who,
                ..Cause::own(Wait::OnCpu)
            };
            let behind = run(Flavor::MariaDb, &[], &[stage, (other, 300, 3)]);
            assert!(remedies(&behind).starts_with("what the group in front"), "{who}");
        }
    }
}
