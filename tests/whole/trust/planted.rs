//! Directories that another user has made in advance, with links in them: `--out`, `--home`, `--place`, studies.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};

use crate::common::{SERVERS, logtrace};
use tempfile::TempDir;

/// User that is neither root nor a server's.
const STRANGER: u32 = 65_534;

/// Directory of everybody, with a file of root.
struct Shared {
    directory: TempDir,
}

impl Shared {
    fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("lt-").tempdir_in("/tmp").unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o1777)).unwrap();
        fs::write(directory.path().join("victim"), "precious").unwrap();
        fs::set_permissions(directory.path().join("victim"), Permissions::from_mode(0o600)).unwrap();
        fs::create_dir(directory.path().join("out")).unwrap();
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Makes a directory of the stranger.
    fn plant(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        for made in [path.parent().unwrap(), &path] {
            if !made.exists() {
                fs::create_dir(made).unwrap();
                chown(made, Some(STRANGER), Some(STRANGER)).unwrap();
            }
        }
        path
    }

    /// Fails unless logtrace refuses to work in the planted directory, which it names, and changes nothing.
    fn refuses(&self, arguments: &str, planted: &Path) {
        let before = files(self.directory.path());
        let output = logtrace()
            .args(arguments.split_whitespace())
            .current_dir(self.directory.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{arguments}: {stderr}");
        let told = format!("{} belongs to user {STRANGER}", planted.display());
        assert!(stderr.contains(&told), "{arguments}: {told} in {stderr}");
        assert_eq!(files(self.directory.path()), before, "{arguments}");
        assert_eq!(fs::read(self.path("victim")).unwrap(), b"precious", "{arguments}");
    }
}

/// Returns the paths of everything in a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        }
        found.push(entry.path());
    }
    found.sort();
    found
}

#[test]
fn a_study_does_not_empty_the_file_behind_a_planted_lock() {
    let shared = Shared::new();
    let planted = shared.plant("logtrace-studies/max-write-smoke");
    for name in ["lock", "state.json.partial", "plan.toml.partial"] {
        symlink(shared.path("victim"), planted.join(name)).unwrap();
        lchown(planted.join(name), Some(STRANGER), Some(STRANGER)).unwrap();
    }
    let parent = shared.path("logtrace-studies");
    shared.refuses("study max-write", &parent);
    shared.refuses("study max-write --out logtrace-studies/max-write-smoke", &parent);
}

#[test]
fn runs_and_traces_write_nothing_where_somebody_else_could_replace_it() {
    let shared = Shared::new();
    let planted = shared.plant("logtrace-runs");
    for server in SERVERS {
        shared.refuses(&format!("run --server {server} --no-trace"), &planted);
    }
    shared.refuses(&format!("trace --pid {}", std::process::id()), &planted);
    symlink("/tmp", shared.path("link")).unwrap();
    lchown(shared.path("link"), Some(STRANGER), Some(STRANGER)).unwrap();
    shared.refuses("run --out link/runs --no-trace", &shared.path("link"));
}

#[test]
fn notes_and_lists_of_a_planted_home_are_not_followed() {
    let shared = Shared::new();
    let instances = shared.plant("home/instances");
    fs::write(instances.join("queue-lt0"), "scheduler none\n").unwrap();
    let precious = shared.path("instance-x-precious");
    fs::create_dir(&precious).unwrap();
    fs::write(
        instances.join("instance-x.placed"),
        precious.as_os_str().as_encoded_bytes(),
    )
    .unwrap();
    let home = shared.path("home");
    shared.refuses("doctor --clean --home home", &home);
    shared.refuses("run --no-trace --home home --out out", &home);
    assert!(precious.is_dir());
}

#[test]
fn files_are_not_placed_where_somebody_else_could_replace_them() {
    let shared = Shared::new();
    let planted = shared.plant("place");
    shared.refuses(
        &format!("run --no-trace --place redo={} --out out", planted.display()),
        &planted,
    );
}
