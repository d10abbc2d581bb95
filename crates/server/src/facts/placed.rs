//! Location of a placed class of files.

use std::path::PathBuf;

use logtrace_common::FileClass;
use serde::Serialize;

/// Class of files, and the directory that was made for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedClass {
    /// Class of the files.
    pub class: FileClass,
    /// Directory of the files.
    pub directory: PathBuf,
    /// Kind of the directory.
    pub on: PlacedOn,
}

/// Kind of the directory of a placed class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacedOn {
    /// Directory of the machine.
    Directory,
    /// File system that was made for the class.
    Volume,
    /// tmpfs that was made for the class.
    Tmpfs,
    /// `/dev/null`, which discards all writes.
    DevNull,
    /// File in memory that logtrace empties as it grows.
    EmptiedFile,
}
