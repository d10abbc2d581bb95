//! Search for the process of a server: by its systemd unit, by its data directory, or the only one of this machine.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use logtrace_common::process::{DeviceAndInode, ProcessHandle};
use procfs::process::all_processes;

use crate::attached::unit_group::{HierarchyGroup, Trees};
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
struct RunningServer {
    pid: u32,
    program: PathBuf,
    /// Effective user.
    uid: u32,
    /// Its control groups, one for each hierarchy.
    groups: Vec<HierarchyGroup>,
    /// Device and inode of its working directory. Both servers change to their data directory when they start
    /// (sql/mysqld.cc, `my_setwd`).
    directory: Option<DeviceAndInode>,
    /// Path of the same, as the server sees it.
    path: Option<PathBuf>,
}

/// Returns the only server of this machine.
pub(crate) fn only_server() -> anyhow::Result<Arc<ProcessHandle>> {
    the_server(|_| true, "on this machine")
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
    let (place, owner) = (DeviceAndInode::from(&found), found.uid());
    let is_it = |server: &RunningServer| server.directory == Some(place) && [0, owner].contains(&server.uid);
    let whose = format!(
        "with the data directory {}, which belongs to user {owner}",
        path.display()
    );
    the_server(is_it, &whose)
}

/// Returns the only server of a kind.
fn the_server(is_it: impl Fn(&RunningServer) -> bool, whose: &str) -> anyhow::Result<Arc<ProcessHandle>> {
    let (held, servers): (Vec<_>, Vec<_>) = running_servers()?.into_iter().unzip();
    let found: Vec<_> = servers.iter().filter(|server| is_it(server)).collect();
    let pid = only(&found, &servers, whose)?;
    let held = held.into_iter().find(|process| process.pid() == pid);
    let held = held.context("the server has ended")?;
    held.still_same()?;
    Ok(Arc::new(held))
}

impl RunningServer {
    /// Returns what is known of a process if it is a server. A process that ends meanwhile is none.
    fn of(process: &ProcessHandle) -> Option<Self> {
        let program = process.program_name().ok().filter(|program| is_server(program))?;
        let groups = process.entry().cgroups().ok()?.0;
        Some(Self {
            pid: process.pid(),
            program,
            uid: process.entry().status().ok()?.euid,
            groups: groups.into_iter().map(HierarchyGroup::from).collect(),
            directory: process.working_directory().ok(),
            path: process.entry().cwd().ok(),
        })
    }

    fn is_in(&self, trees: &Trees, names: &[String]) -> bool {
        self.groups.iter().any(|group| trees.is_in(group, names))
    }

    /// Describes the process.
    fn describe(&self) -> String {
        let (pid, program) = (self.pid, self.program.display());
        format!("process {pid} ({program}) in {}", self.group())
    }

    /// Returns a line with what to type for this server, and what tells it from others.
    fn choice(&self) -> String {
        let (pid, program) = (self.pid, self.program.display());
        let data = self.path.as_ref();
        let data = data.map_or_else(String::new, |path| format!(", data in {}", path.display()));
        format!("\n  --pid {pid:<8} {program}{data}, in {}", self.group())
    }

    /// Returns its longest control group: that of systemd or of a container.
    fn group(&self) -> &str {
        let paths = self.groups.iter().map(|group| group.path.as_str());
        paths.max_by_key(|path| path.len()).unwrap_or("/")
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

fn running_servers() -> anyhow::Result<Vec<(ProcessHandle, RunningServer)>> {
    let processes = all_processes().context("cannot list the processes of this machine")?;
    let servers = processes.flatten().filter_map(|process| {
        // Most processes are none: they are not held.
        process.exe().ok().filter(|program| is_server(program))?;
        let held = ProcessHandle::open(u32::try_from(process.pid()).ok()?).ok()?;
        let running = RunningServer::of(&held)?;
        Some((held, running))
    });
    Ok(servers.collect())
}

/// Returns the process of the only server among those that were found.
fn only(found: &[&RunningServer], all: &[RunningServer], whose: &str) -> anyhow::Result<u32> {
    match (found, all) {
        ([server], _) => Ok(server.pid),
        ([], []) => bail!(
            "there is no server {whose}: no process is a mysqld or a mariadbd (does logtrace run as root, or with \
             CAP_SYS_PTRACE?)"
        ),
        ([], all) => {
            let all: Vec<String> = all.iter().map(RunningServer::describe).collect();
            bail!("there is no server {whose}. Those that run: {}", all.join(", "))
        }
        (several, _) => {
            let choices: String = several.iter().map(|server| server.choice()).collect();
            bail!("there are {} servers {whose}. Name one:{choices}", several.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::attached::unit_group::Hierarchy;

    fn on_version_2(path: &str) -> HierarchyGroup {
        HierarchyGroup {
            hierarchy: Hierarchy::Unified,
            path: path.to_owned(),
        }
    }

    fn running(pid: u32, group: &str) -> RunningServer {
        RunningServer {
            pid,
            program: "/usr/sbin/mysqld".into(),
            uid: 27,
            groups: ["/", group].map(on_version_2).to_vec(),
            directory: None,
            path: Some("/data".into()),
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
        let error = |found: &[&RunningServer], all: &[RunningServer]| {
            only(found, all, "in the unit x").unwrap_err().to_string()
        };
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
        assert!(
            nothing.contains("no process is a mysqld or a mariadbd"),
            "{nothing}"
        );
        assert_eq!(
            error(&servers.each_ref(), &servers),
            "there are 2 servers in the unit x. Name one:\n  \
             --pid 7        /usr/sbin/mysqld, data in /data, in /a/one.service\n  \
             --pid 8        /usr/sbin/mysqld, data in /data, in /a/two.service"
        );
    }

    #[test]
    fn a_directory_that_is_not_there_is_an_error_of_its_own() {
        let error = server_of_directory(Path::new("/no/such/data")).unwrap_err();
        assert!(error.to_string().contains("/no/such/data"), "{error}");
    }
}
