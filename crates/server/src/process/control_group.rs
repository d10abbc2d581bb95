//! Control group of a private server: whatever the server starts ends with it, also what leaves its session.
//!
//! `cgroup.kill` ends all processes of a group at once, also those that fork meanwhile. After `kill -9` of logtrace the
//! kernel ends the server itself, and the next start or `doctor --clean` the rest of the group.
//!
//! The group is a child of logtrace's own without controllers. So CPU, memory and I/O are limited and shared as for
//! logtrace itself, and `throttled` and `memory reclaim` have the same causes as without the group. Where a child would
//! get a share of its own, there is no group.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use procfs::process::Process;
use rustix::fs::statfs;

use crate::error::unless_gone;

/// Suffix of the name of the note on an instance's group. The note is beside the instance's own directory, where only root
/// can write.
pub(crate) const NOTE: &str = ".cgroup";

/// Start of the name of a group; the name of the instance follows.
const PREFIX: &str = "logtrace-";

/// `f_type` of version 2 of the file system of groups (`CGROUP2_SUPER_MAGIC`, linux/magic.h).
const CGROUP2: u64 = 0x6367_7270;

/// Longest time for killed processes to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Interval between two looks at a group whose processes were killed.
const POLL: Duration = Duration::from_millis(2);

/// Control group (version 2) in the one of logtrace, without controllers: the limits of a server stay those of logtrace.
/// When dropped, its processes are killed and it is removed.
#[derive(Debug)]
pub(crate) struct ControlGroup {
    directory: PathBuf,
    note: PathBuf,
}

impl ControlGroup {
    /// Makes a group for an instance, noted on disk first. Returns `None` where it cannot be made, or would change limits:
    /// then a server is killed by its process group alone.
    pub(crate) fn create(instance: &Path) -> Option<Self> {
        let directory = own_group()?.join(name_of(instance));
        let note = note_of(instance);
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&note)
            .ok()?;
        let written = file.write_all(directory.as_os_str().as_bytes());
        match written.and_then(|()| fs::create_dir(&directory)) {
            Ok(()) => Some(Self { directory, note }),
            Err(_) => {
                // A group that was there belongs to another server.
                let _ = fs::remove_file(note);
                None
            }
        }
    }

    /// Opens the file that moves a process into the group. The kernel asks for the rights of the process that opened it
    /// (`cgroup_procs_write`, kernel/cgroup/cgroup.c).
    pub(crate) fn entrance(&self) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .open(self.directory.join("cgroup.procs"))
    }

    /// Kills all processes in the group, and waits until they have ended.
    pub(crate) fn kill(&self) {
        if fs::write(self.directory.join("cgroup.kill"), "1").is_err() {
            return;
        }
        let start = Instant::now();
        while self.is_populated() && start.elapsed() < PATIENCE {
            sleep(POLL);
        }
    }

    fn is_populated(&self) -> bool {
        let events = fs::read_to_string(self.directory.join("cgroup.events"));
        events.is_ok_and(|events| events.lines().any(|line| line == "populated 1"))
    }

    /// Kills what is in the group, and removes the group and its note.
    pub(crate) fn remove(&self) -> io::Result<()> {
        self.kill();
        let removed = fs::remove_dir(&self.directory);
        unless_gone(removed).map_err(|error| {
            let group = self.directory.display();
            io::Error::new(error.kind(), format!("its control group {group} stays: {error}"))
        })?;
        unless_gone(fs::remove_file(&self.note))
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // What stays is noted: the next start removes it.
        let _ = self.remove();
    }
}

/// Kills what a killed run left in the group of an instance, and removes the group. The instance must not be in use.
pub(crate) fn sweep(instance: &Path) -> io::Result<()> {
    let note = note_of(instance);
    let Ok(text) = fs::read(&note) else {
        return Ok(());
    };
    let directory = PathBuf::from(OsString::from_vec(text));
    let is_group = statfs(&directory).is_ok_and(|found| u64::try_from(found.f_type) == Ok(CGROUP2));
    match is_group && directory.file_name() == Some(&name_of(instance)) {
        true => ControlGroup { directory, note }.remove(),
        // It went with the machine's last start, or is none of logtrace's.
        false => unless_gone(fs::remove_file(&note)),
    }
}

/// Returns the directory of the group of this process, if a group in it has neither controllers nor limits of its own: so
/// it is in each group with processes but that of the whole machine (Documentation/admin-guide/cgroup-v2.rst, "No
/// Internal Process Constraint").
fn own_group() -> Option<PathBuf> {
    let me = Process::myself().ok()?;
    let own = me
        .cgroups()
        .ok()?
        .into_iter()
        .find(|group| group.hierarchy == 0)?;
    let own = own.pathname.trim_start_matches('/');
    let mounts = me.mountinfo().ok()?.into_iter();
    let groups = mounts.filter(|mount| mount.fs_type == "cgroup2");
    // A container may show another part of the tree than the path is in.
    groups
        .map(|mount| mount.mount_point.join(own))
        .find(|group| holds(group, me.pid) && is_plain(group))
}

fn holds(group: &Path, pid: i32) -> bool {
    let pid = pid.to_string();
    let pids = fs::read_to_string(group.join("cgroup.procs"));
    pids.is_ok_and(|pids| pids.lines().any(|line| line == pid))
}

fn is_plain(group: &Path) -> bool {
    let read = |name| fs::read_to_string(group.join(name));
    // The group of the whole machine has no type.
    let is_domain = read("cgroup.type").map_or(true, |kind| kind.trim() == "domain");
    is_domain && read("cgroup.subtree_control").is_ok_and(|controllers| controllers.trim().is_empty())
}

fn name_of(instance: &Path) -> OsString {
    let mut name = OsString::from(PREFIX);
    name.push(instance.file_name().unwrap_or(OsStr::new("")));
    name
}

fn note_of(instance: &Path) -> PathBuf {
    let mut path = instance.as_os_str().to_owned();
    path.push(NOTE);
    path.into()
}

/// Makes a group for a test. Returns `None` where there can be none: without root's rights, or if the group of the tests has
/// controllers, as other tests give it for a while.
#[cfg(test)]
pub(crate) fn created(instance: &Path) -> Option<ControlGroup> {
    let mut tries = (0..1_000).map(|_| {
        sleep(Duration::from_millis(10));
        ControlGroup::create(instance)
    });
    let group = match rustix::process::geteuid().is_root() {
        true => tries.find_map(|group| group),
        false => tries.next().flatten(),
    };
    if group.is_none() {
        assert!(!note_of(instance).exists(), "nothing is left of the attempt");
        println!("not tested: no group can be made in {:?}", own_group());
        assert!(!rustix::process::geteuid().is_root() || own_group().is_none());
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_leads_to_nothing_but_the_group_of_its_instance() {
        let base = tempfile::tempdir().unwrap();
        let (instance, other) = (
            base.path().join("instance-x"),
            base.path().join("logtrace-instance-x"),
        );
        fs::create_dir(&other).unwrap();
        fs::write(note_of(&instance), other.as_os_str().as_bytes()).unwrap();
        sweep(&instance).unwrap();
        assert!(other.is_dir() && !note_of(&instance).exists());
        sweep(&instance).unwrap();
    }

    #[test]
    fn a_group_changes_no_limits_and_goes_with_its_owner() {
        let base = tempfile::tempdir().unwrap();
        // Groups of all tests are in one place.
        let instance = base.path().join("instance-alone");
        let Some(group) = created(&instance) else {
            return;
        };
        let directory = group.directory.clone();
        let controllers = fs::read_to_string(directory.join("cgroup.controllers")).unwrap();
        assert_eq!(controllers.trim(), "");
        assert!(note_of(&instance).is_file());
        drop(group);
        assert!(!directory.exists() && !note_of(&instance).exists());
    }

    #[test]
    fn a_group_of_another_server_with_the_same_name_is_neither_used_nor_removed() {
        let (base, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let [instance, other] = [&base, &other].map(|base| base.path().join("instance-twice"));
        let Some(first) = created(&instance) else {
            return;
        };
        assert!(ControlGroup::create(&other).is_none());
        assert!(first.directory.is_dir() && !note_of(&other).exists());
    }
}
