//! Snapshot of the data of a stopped server, with which other servers can start.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, ensure};

use crate::error::ServerError;
use crate::install::Binary;
use crate::instance::config::InstanceSetup;
use crate::instance::copy_tree::copy_contents;
use crate::instance::instance_dir::InstanceDir;
use crate::settings::{BINLOG, fixed_at_initialisation};
use crate::storage::INITIALISED;
use crate::storage::directory::{Directory, make_leaf};
use crate::storage::locked_dir::LockedDir;
use logtrace_common::{LogNames, Variable};

/// Start of the name of a snapshot's directory.
pub(crate) const SNAPSHOT_PREFIX: &str = "kept-";

/// Copy of the data directory of a server that shut down cleanly. It is removed when dropped; if logtrace is killed,
/// the next start removes it.
///
/// The copy has tables, undo and redo logs, also those that were placed elsewhere. It has no binary logs, which a
/// server does not need after a clean shutdown, no slow and general logs, no temporary files, and no identity
/// (`server_uuid`): each server that starts with the copy makes new ones, wherever its files are placed. The binary log of
/// a load is as large as the tables, and is not copied each time.
#[derive(Debug)]
pub struct DataSnapshot {
    directory: LockedDir,
    binary: Binary,
    fixed: Vec<Variable>,
}

impl DataSnapshot {
    /// Copies the data of a stopped server.
    pub(crate) async fn copy(
        setup: &InstanceSetup,
        dir: InstanceDir,
        logs: LogNames,
    ) -> Result<(Self, InstanceDir), ServerError> {
        let (base, user) = (&setup.base, setup.user.clone());
        let directory = LockedDir::create(base, SNAPSHOT_PREFIX, 0o700)
            .map_err(ServerError::directory("keep data in", base))?;
        let to = directory.path().join("data");
        let target = to.clone();
        // Whoever stops waiting: the directories go when the copy ends.
        let copying = tokio::task::spawn_blocking(move || {
            let fail = |source| ServerError::copy(&target, &target, source);
            make_leaf(&target, &user).map_err(fail)?;
            let open = Directory::open(&target).map_err(fail)?;
            user.act(|| gather(&dir, &open, &logs)).map_err(fail)??;
            Ok((directory, dir))
        });
        let copied = copying
            .await
            .unwrap_or_else(|ended| Err(ServerError::copy(&to, &to, ended.into())));
        let (directory, dir) = copied.map_err(|error| error.in_base(base))?;
        let snapshot = Self {
            directory,
            binary: setup.config.binary.clone(),
            fixed: fixed_at_initialisation(&setup.config.settings),
        };
        Ok((snapshot, dir))
    }

    /// Returns the data directory to copy, if the server can read it.
    pub(crate) fn data_for(&self, binary: &Binary, fixed: &[Variable]) -> anyhow::Result<Directory> {
        let name = |binary: &Binary| {
            let path = binary.path.display();
            format!("{} {} at {path}", binary.flavor, binary.version)
        };
        ensure!(
            *binary == self.binary,
            "the data is from {}, and {} cannot start with it: load it once for each server",
            name(&self.binary),
            name(binary)
        );
        let words = |settings: &[Variable]| settings.iter().map(Variable::to_string).collect::<Vec<_>>();
        ensure!(
            fixed == self.fixed,
            "the data is from a server with {:?}, and a server with {:?} cannot read it: load it once for each",
            words(&self.fixed),
            words(fixed)
        );
        let path = self.directory.path().join("data");
        Directory::open(&path).with_context(|| format!("cannot open {}", path.display()))
    }

    /// Returns the directory of the snapshot.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}

/// Copies all files of an instance into one data directory, including those placed elsewhere.
fn gather(dir: &InstanceDir, to: &Directory, logs: &LogNames) -> Result<(), ServerError> {
    let open =
        |path: &Path| Directory::open(path).map_err(|source| ServerError::copy(path, &to.path, source));
    let target = |name: &OsStr, _| is_data(&name.to_string_lossy(), logs).then_some(to);
    copy_contents(&open(&dir.paths().data)?, &target)?;
    for placed in INITIALISED.into_iter().filter_map(|class| dir.placed.of(class)) {
        copy_contents(&open(placed)?, &|_, _| Some(to))?;
    }
    to.sync()
        .map_err(|source| ServerError::copy(&to.path, &to.path, source))
}

/// Returns whether an entry of a data directory is data. A server makes other entries anew.
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
