//! Remedies other than settings of the server.

use logtrace_attribution::cause::Wait;
use logtrace_common::{Detail, FileClass};

use crate::document::Document;

/// Page with the measurements of file systems and disks.
const STUDY: &str = "(docs/studies/commit-path.md)";

/// Longest wait for a replica in milliseconds, of MySQL since 8.0.26, and of MariaDB and before.
const SEMISYNC_LIMITS: [&str; 2] = ["rpl_semi_sync_source_timeout", "rpl_semi_sync_master_timeout"];

/// Returns what helps against a wait, as a part of a sentence; `None` if settings alone govern it.
pub(super) fn remedy(document: &Document, wait: Wait) -> Option<String> {
    let file_system = file_system(document, wait);
    match (wait, file_system) {
        (Wait::JournalCommit, Some("ext4")) => Some(format!(
            "one connection does 13 to 26 % more on xfs, 16 do as much {STUDY}"
        )),
        (Wait::JournalCommit | Wait::FileSystemLock, Some("btrfs")) => {
            Some(format!("btrfs does 0.37 to 0.79 of what ext4 does {STUDY}"))
        }
        (Wait::SemisyncAck, _) => semisync(document),
        (Wait::DeviceFlush, _) => Some(format!("{} {STUDY}", wait.remedy()?)),
        (Wait::FileIo, _) if has_no_files(document) => Some("--detail io shows which files".to_owned()),
        (wait, _) => wait.remedy().map(str::to_owned),
    }
}

/// Returns what helps against waits for a replica, and the limit on them.
fn semisync(document: &Document) -> Option<String> {
    let settings = &document.server.settings;
    let mut limits = SEMISYNC_LIMITS.into_iter();
    let limit = limits.find_map(|name| Some((name, settings.get(name)?)));
    let limit = limit.map(|(name, ms)| format!("; {name} ({ms} ms) ends the wait"));
    Some(format!(
        "{}{}",
        Wait::SemisyncAck.remedy()?,
        limit.unwrap_or_default()
    ))
}

/// Returns the file system of the files on which most of a wait was.
fn file_system(document: &Document, wait: Wait) -> Option<&str> {
    let rows = document.causes.iter().filter(|row| row.cause.wait == wait);
    let largest = rows.max_by_key(|row| row.total)?;
    let (class, _) = largest.cause.io?;
    Some(file_system_of(document, class))
}

fn file_system_of(document: &Document, class: FileClass) -> &str {
    let server = &document.server;
    let mut placed = server.placement.iter();
    let placed = placed.find(|placed| placed.class == class);
    placed.map_or(server.file_system.as_str(), |placed| placed.file_system.as_str())
}

/// Returns whether calls on files were traced without their files.
fn has_no_files(document: &Document) -> bool {
    let detail = document.tracing.as_ref().map(|tracing| tracing.detail.parse());
    matches!(detail, Some(Ok(Detail::Commit)))
}
