//! A process of a user that poses as the server of a unit, and as that of a data directory.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use crate::common::beside_others;
use crate::faults::fixture::home::Home;
use crate::faults::fixture::started::Started;
use crate::faults::privilege::NOBODY;

use super::other_program::Programs;

/// Control groups, removed when dropped; those that others use stay.
struct Groups(Vec<PathBuf>);

impl Groups {
    /// Makes a group, and those around it.
    fn made(group: &Path) -> Self {
        let missing = group.ancestors().take_while(|part| !part.exists());
        let made = missing.map(Path::to_owned).collect();
        fs::create_dir_all(group).unwrap();
        Self(made)
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        for group in &self.0 {
            let _ = fs::remove_dir(group);
        }
    }
}

/// Returns the tree of control groups in which processes can be put into any.
fn tree() -> PathBuf {
    let systemd = Path::new("/sys/fs/cgroup/systemd");
    let tree = if systemd.is_dir() {
        systemd
    } else {
        Path::new("/sys/fs/cgroup")
    };
    tree.to_owned()
}

/// Groups that somebody else than the system made: in the tree of a controller, and in a container.
fn other_groups(unit: &str, put: &impl Fn(&Path), refused: &impl Fn(&str, &[&str]), traced: &impl Fn(&str)) {
    let (outer, inner) = (format!("{:064x}", std::process::id()), "5e".repeat(32));
    let container = tree().join(&outer).join(&inner);
    let _container = Groups::made(&container);
    put(&container);
    traced(&format!("--unit {outer}"));
    refused(&format!("--unit {inner}"), &["no server in the unit", &inner]);
    // The trees of controllers are version 1's.
    let memory = Path::new("/sys/fs/cgroup/memory");
    let is_mounted = memory.is_dir() && memory.join("tasks").exists();
    let service = memory.join(format!("{unit}.slice/{unit}.service"));
    let _service = is_mounted.then(|| {
        let made = Groups::made(&service);
        put(&tree());
        put(&service);
        refused(&format!("--unit {unit}"), &["no server in the unit"]);
        // The process leaves them, so that they can be removed.
        put(memory);
        made
    });
    put(&tree());
}

#[test]
fn a_users_process_is_not_taken_for_the_server_of_a_unit_or_of_a_directory() {
    let _turn = beside_others();
    let programs = Programs::new();
    let refused = |way: &str, words: &[&str]| {
        let home = Home::new();
        let trace = home.logtrace(&format!("trace {way} --duration 100ms"));
        Started::new(trace, home.path()).ended().refused(1, words);
    };
    let traced = |way: &str| {
        let home = Home::new();
        let trace = home.logtrace(&format!("trace {way} --duration 100ms"));
        Started::new(trace, home.path()).ended().measured();
    };
    let unit = format!("lt-{}", std::process::id());
    let service = format!("{unit}.service");
    let of_users = tree().join("user.slice").join(&service);
    let of_system = tree()
        .join(format!("lt-{}.slice", std::process::id()))
        .join(&service);
    let _made = [&of_users, &of_system].map(|group| Groups::made(group));
    // It ends before its groups.
    let process = programs.start();
    let put = |group: &Path| fs::write(group.join("cgroup.procs"), process.pid().to_string()).unwrap();
    put(&of_users);
    refused(&format!("--unit {unit}"), &["no server in the unit"]);
    put(&of_system);
    traced(&format!("--unit {unit}"));
    chown(&of_system, Some(NOBODY), None).unwrap();
    refused(&format!("--unit {unit}"), &["no server in the unit"]);
    let directory = programs.path("");
    let data = format!("--data-dir {}", directory.display());
    other_groups(&unit, &put, &refused, &traced);
    refused(&data, &["no server with the data directory", "belongs to user 0"]);
    chown(&directory, Some(NOBODY), None).unwrap();
    traced(&data);
}
