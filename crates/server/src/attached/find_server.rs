//! Search for the process of a server by its systemd unit or by its data directory.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use logtrace_common::process::{FileId, ProcessHandle};
use procfs::process::all_processes;

use crate::attached::unit_group::{ControlGroup, Trees};
use crate::connection::peer::is_server;
use crate::facts::container::groups_of;

/// Directories of systemd's units (systemd.unit(5)), in which an alias is a link.
const UNIT_DIRECTORIES: [&str; 3] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/lib/systemd/system",
];

/// Process of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Running {
    pid: u32,
    program: PathBuf,
    /// Effective user.
    uid: u32,
    /// Its control groups, one for each hierarchy.
    groups: Vec<ControlGroup>,
    /// Device and inode of its working directory. Both servers change to their data directory when they start
    /// (sql/mysqld.cc, `my_setwd`).
    directory: Option<FileId>,
}

/// Returns the only server in a systemd unit, which may be named by an alias and without the suffix `.service`. A unit is a
/// directory of the tree of control groups; a container's is, too.
pub(crate) fn server_of_unit(unit: &str) -> anyhow::Result<Arc<ProcessHandle>> {
    let names = names_of(unit, &UNIT_DIRECTORIES.map(Path::new));
    let trees = Trees::mounted()?;
    the_server(
        |server| server.is_in(&trees, &names),
        &format!("in the unit {unit}"),
    )
}

/// Returns the only server with a data directory. It may be named by any of its paths: a server in a container has another.
///
/// Any process may work in a directory that it can enter: that of a server belongs to its user.
pub(crate) fn server_of_directory(path: &Path) -> anyhow::Result<Arc<ProcessHandle>> {
    let failed = || format!("cannot look at the data directory {}", path.display());
    let found = fs::metadata(path).with_context(failed)?;
    let (place, owner) = (FileId::from(&found), found.uid());
    let is_it = |server: &Running| server.directory == Some(place) && [0, owner].contains(&server.uid);
    let whose = format!(
        "with the data directory {}, which belongs to user {owner}",
        path.display()
    );
    the_server(is_it, &whose)
}

/// Returns the only server of a kind.
fn the_server(is_it: impl Fn(&Running) -> bool, whose: &str) -> anyhow::Result<Arc<ProcessHandle>> {
    let (held, servers): (Vec<_>, Vec<_>) = running_servers()?.into_iter().unzip();
    let found: Vec<_> = servers.iter().filter(|server| is_it(server)).collect();
    let pid = only(&found, &servers, whose)?;
    let held = held.into_iter().find(|process| process.pid() == pid);
    let held = held.context("the server has ended")?;
    held.still_same()?;
    Ok(Arc::new(held))
}

impl Running {
    /// Returns what is known of a process if it is a server. A process that ends meanwhile is none.
    fn of(process: &ProcessHandle) -> Option<Self> {
        let program = process.program_name().ok().filter(|program| is_server(program))?;
        let groups = process.entry().cgroups().ok()?.0;
        Some(Self {
            pid: process.pid(),
            program,
            uid: process.entry().status().ok()?.euid,
            groups: groups.into_iter().map(ControlGroup::from).collect(),
            directory: process.working_directory().ok(),
        })
    }

    fn is_in(&self, trees: &Trees, names: &[String]) -> bool {
        self.groups.iter().any(|group| trees.is_in(group, names))
    }

    /// Describes the process, with its longest control group: that of systemd or of a container.
    fn describe(&self) -> String {
        let paths = self.groups.iter().map(|group| group.path.as_str());
        let group = paths.max_by_key(|path| path.len());
        let (pid, program) = (self.pid, self.program.display());
        format!("process {pid} ({program}) in {}", group.unwrap_or("/"))
    }
}

/// Returns all names that the directory of a unit's control group can have. An alias has the name of the unit itself, and a
/// container's group one with its id.
fn names_of(unit: &str, directories: &[&Path]) -> Vec<String> {
    let mut names = vec![unit.to_owned(), format!("{unit}.service")];
    for alias in names.clone().iter().filter(|alias| !alias.contains('/')) {
        let links = directories.iter().map(|directory| directory.join(alias));
        let targets = links.filter_map(|link| fs::read_link(link).ok());
        names.extend(targets.filter_map(|target| Some(target.file_name()?.to_str()?.to_owned())));
    }
    names.extend(groups_of(unit));
    names
}

fn running_servers() -> anyhow::Result<Vec<(ProcessHandle, Running)>> {
    let processes = all_processes().context("cannot list the processes of this machine")?;
    let servers = processes.flatten().filter_map(|process| {
        // Most processes are none: they are not held.
        process.exe().ok().filter(|program| is_server(program))?;
        let held = ProcessHandle::open(u32::try_from(process.pid()).ok()?).ok()?;
        let running = Running::of(&held)?;
        Some((held, running))
    });
    Ok(servers.collect())
}

/// Returns the process of the only server among those that were found.
fn only(found: &[&Running], all: &[Running], whose: &str) -> anyhow::Result<u32> {
    let list = |servers: &[&Running]| {
        let lines: Vec<String> = servers.iter().map(|server| server.describe()).collect();
        lines.join(", ")
    };
    match (found, all) {
        ([server], _) => Ok(server.pid),
        ([], []) => bail!(
            "there is no server {whose}: no mysqld and no mariadbd was seen on this machine (does logtrace run as root, or \
             with CAP_SYS_PTRACE?)"
        ),
        ([], all) => bail!(
            "there is no server {whose}. Those that run: {}",
            list(&all.iter().collect::<Vec<_>>())
        ),
        (several, _) => bail!(
            "there are {} servers {whose}: {}. Name one by its number: --pid {}",
            several.len(),
            list(several),
            several[0].pid
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::attached::unit_group::Hierarchy;

    fn on_version_2(path: &str) -> ControlGroup {
        ControlGroup {
            hierarchy: Hierarchy::Unified,
            path: path.to_owned(),
        }
    }

    fn running(pid: u32, group: &str) -> Running {
        Running {
            pid,
            program: "/usr/sbin/mysqld".into(),
            uid: 27,
            groups: ["/", group].map(on_version_2).to_vec(),
            directory: None,
        }
    }

    #[test]
    fn an_alias_has_the_name_of_its_unit() {
        let directory = tempfile::tempdir().unwrap();
        symlink(
            "/usr/lib/systemd/system/mariadb.service",
            directory.path().join("mysql.service"),
        )
        .unwrap();
        for alias in ["mysql", "mysql.service"] {
            let names = names_of(alias, &[Path::new("/no/such"), directory.path()]);
            assert!(names.contains(&"mariadb.service".to_owned()), "{names:?}");
        }
    }

    #[test]
    fn one_server_is_found_and_none_or_several_are_refused_with_what_there_is() {
        let servers = [running(7, "/a/one.service"), running(8, "/a/two.service")];
        let error =
            |found: &[&Running], all: &[Running]| only(found, all, "in the unit x").unwrap_err().to_string();
        assert_eq!(only(&[&servers[1]], &servers, "in the unit x").unwrap(), 8);
        let none = error(&[], &servers);
        assert!(
            none.contains("no server in the unit x. Those that run: process 7 "),
            "{none}"
        );
        assert!(
            none.contains("process 8 (/usr/sbin/mysqld) in /a/two.service"),
            "{none}"
        );
        let nothing = error(&[], &[]);
        assert!(nothing.contains("no mysqld and no mariadbd"), "{nothing}");
        let several = error(&servers.each_ref(), &servers);
        assert!(several.contains("there are 2 servers in the unit x"), "{several}");
        assert!(several.ends_with("--pid 7"), "{several}");
    }

    #[test]
    fn a_directory_that_is_not_there_is_an_error_of_its_own() {
        let error = server_of_directory(Path::new("/no/such/data")).unwrap_err();
        assert!(error.to_string().contains("/no/such/data"), "{error}");
    }
}
