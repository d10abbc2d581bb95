//! The data of a server that was stopped, kept to start others with.

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::install::binary::Binary;
use crate::install::os_user::ServerUser;
use crate::instance::copy_tree::{CopyError, Route, copy_contents, copy_tree};
use crate::instance::error::StartError;
use crate::instance::instance_dir::{InstanceDir, LockedDir};
use crate::process::pidfd::Exit;
use crate::settings::variable::{BINLOG, Setting, fixed_at_initialisation};
use logtrace_common::{FileClass, LogNames};

/// A copy of the data directory of a server that was stopped in order; removed when dropped, or by the next start after
/// logtrace was killed.
///
/// It has tables, undo and redo logs, from wherever they were placed. It has no binary logs, which a server that was
/// stopped in order does not need to start, no slow and general logs, no temporary files, and no identity
/// (`server_uuid`): each server that is started with it makes those anew.
#[derive(Debug)]
pub struct KeptData {
    directory: LockedDir,
    binary: Binary,
    fixed: Vec<Setting>,
}

/// Why data could not be kept. Server and data are gone.
#[derive(Debug, Error)]
pub enum KeepError {
    /// The server could not be stopped.
    #[error("cannot stop the server: {0}")]
    Stop(#[source] io::Error),
    /// It did not stop in order, so that its files alone are not its data.
    #[error("the server ended with {exit} instead of stopping in order, so that its data cannot be kept:\n  {}", .lines.join("\n  "))]
    Unclean {
        /// How it ended.
        exit: Exit,
        /// The telling lines of its log.
        lines: Vec<String>,
    },
    /// Its files could not be copied.
    #[error(transparent)]
    Copy(StartError),
    /// What it left could not be removed.
    #[error("cannot remove the directory of the server: {0}")]
    Remove(#[source] io::Error),
}

/// Why a server cannot be started with data that was kept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeptError {
    /// Another program wrote it.
    #[error(
        "the data was kept from {kept}, and {wanted} shall be started with it: load it once for each server"
    )]
    Server {
        /// The server that it is from.
        kept: String,
        /// The server that was to be started.
        wanted: String,
    },
    /// It was initialised otherwise.
    #[error(
        "the data was kept from a server with {kept:?}, and one with {wanted:?} cannot read it: load it once for each"
    )]
    Initialised {
        /// Its settings that a data directory depends on.
        kept: Vec<String>,
        /// Those that were asked for.
        wanted: Vec<String>,
    },
}

impl KeptData {
    /// Copies the data of a server that was stopped; `base` is the directory of instances.
    pub(crate) async fn copy(
        base: PathBuf,
        dir: InstanceDir,
        user: ServerUser,
        logs: LogNames,
        of: (&Binary, &[Setting]),
    ) -> Result<(Self, InstanceDir), KeepError> {
        let directory = LockedDir::to_keep(&base)
            .map_err(StartError::directory("keep data in", &base))
            .map_err(KeepError::Copy)?;
        let to = directory.path().join("data");
        let target = to.clone();
        // Whoever stops waiting: the directories go when the copy ends.
        let copying = tokio::task::spawn_blocking(move || {
            gather(&dir, &target, &user, &logs)?;
            Ok((directory, dir))
        });
        let copied = copying.await.unwrap_or_else(|ended| {
            Err(CopyError {
                from: to.clone(),
                to,
                source: ended.into(),
            })
        });
        let (directory, dir) = copied.map_err(|error| KeepError::Copy(StartError::copy(error, &base)))?;
        let kept = Self {
            directory,
            binary: of.0.clone(),
            fixed: fixed_at_initialisation(of.1),
        };
        Ok((kept, dir))
    }

    /// The data directory to copy, for a server that can read it.
    pub(crate) fn data_for(&self, binary: &Binary, settings: &[Setting]) -> Result<PathBuf, KeptError> {
        if *binary != self.binary {
            let name = |binary: &Binary| {
                format!(
                    "{} {} at {}",
                    binary.flavor,
                    binary.version,
                    binary.path.display()
                )
            };
            return Err(KeptError::Server {
                kept: name(&self.binary),
                wanted: name(binary),
            });
        }
        let fixed = fixed_at_initialisation(settings);
        if fixed != self.fixed {
            let words = |settings: &[Setting]| settings.iter().map(Setting::to_string).collect();
            return Err(KeptError::Initialised {
                kept: words(&self.fixed),
                wanted: words(&fixed),
            });
        }
        Ok(self.directory.path().join("data"))
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Removes it, and says so when that fails.
    pub fn forget(self) -> io::Result<()> {
        self.directory.remove()
    }
}

/// Copies the files of an instance into one data directory, as if nothing had been placed elsewhere.
fn gather(dir: &InstanceDir, to: &Path, user: &ServerUser, logs: &LogNames) -> Result<(), CopyError> {
    let route = |entry: &DirEntry| match is_data(&entry.file_name().to_string_lossy(), logs) {
        true => Route::Along,
        false => Route::Nowhere,
    };
    copy_tree(&dir.places().data, to, user, &route)?;
    for class in [FileClass::Redo, FileClass::Doublewrite, FileClass::Undo] {
        if let Some(placed) = dir.placed_for(class) {
            copy_contents(placed, to, user)?;
        }
    }
    Ok(())
}

/// Whether an entry of a data directory is data, and not what a server makes anew.
fn is_data(name: &str, logs: &LogNames) -> bool {
    let of_binlog = |base: &str| {
        let rest = name.strip_prefix(base).filter(|_| !base.is_empty());
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let made_anew = ["auto.cnf", "#innodb_temp", &logs.slow_log, &logs.general_log];
    !(made_anew.contains(&name)
        || of_binlog(BINLOG)
        || of_binlog(&logs.binlog)
        || name.starts_with("ibtmp")
        || name.ends_with(".pid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_makes_anew_is_not_kept() {
        let logs = LogNames {
            binlog: "mine".into(),
            slow_log: "host-slow.log".into(),
            general_log: String::new(),
        };
        let anew = "binlog.000001 binlog.index binlog.state mine.000007 mine.~rec~ host-slow.log auto.cnf ibtmp1 \
                    #innodb_temp host.pid";
        let data = "ibdata1 ib_logfile0 #innodb_redo undo_001 undo001 #ib_16384_0.dblwr mysql mysql.ibd logtrace \
                    ib_buffer_pool aria_log.00000001 aria_log_control ca.pem binlog2 tc.log";
        for name in anew.split_whitespace() {
            assert!(!is_data(name, &logs), "{name}");
        }
        for name in data.split_whitespace() {
            assert!(is_data(name, &logs), "{name}");
        }
    }
}
