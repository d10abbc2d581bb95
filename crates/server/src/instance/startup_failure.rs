//! Errors of programs that end too early, with the lines of their logs.

use std::path::Path;

use anyhow::anyhow;

use crate::error::{ServerError, SettingError};
use crate::install::Binary;
use crate::process::error_log::{ServerLog, disk_is_full, error_lines, unknown_variable};
use crate::process::pidfd::ProcessEnd;

/// Returns the error for a program that ended, by its log. `directory` is where the program wrote.
pub(crate) fn ended(
    binary: &Binary,
    doing: &str,
    exit: ProcessEnd,
    log: &ServerLog,
    directory: &Path,
) -> ServerError {
    let text = log.text();
    if let Some(name) = unknown_variable(&text) {
        let flavor = binary.flavor;
        return SettingError::Unknown { name, flavor }.into();
    }
    if disk_is_full(&text) {
        return ServerError::DiskFull(directory.to_owned());
    }
    failed(binary, &format!("ended with {exit} while {doing}"), log)
}

/// Returns an error with the lines of the log that explain it.
pub(crate) fn failed(binary: &Binary, how: &str, log: &ServerLog) -> ServerError {
    let lines = error_lines(&log.text());
    let lines = match lines.is_empty() {
        true => "(it logged nothing)".to_owned(),
        false => lines.join("\n  "),
    };
    let (flavor, version, log) = (binary.flavor, &binary.version, log.path.display());
    anyhow!("{flavor} {version} {how}:\n  {lines}\nFull log: {log}").into()
}
