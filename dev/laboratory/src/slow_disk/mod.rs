//! A mounted file system whose fsync, read or write takes a known time longer.

mod delay;
mod nodes;
mod pass_through;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use fuser::{BackgroundSession, Config, MountOption, SessionACL, spawn_mount};
use tempfile::TempDir;

use self::delay::{Delay, Delays};
use self::pass_through::PassThrough;

/// Call on a file of a [`SlowDisk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCall {
    /// fsync, fdatasync.
    Sync,
    /// read, pread.
    Read,
    /// write, pwrite.
    Write,
}

/// File system in user space, mounted until this is dropped. Only the thread that mounted it and what that starts see it.
///
/// Its files are in memory: fsync costs next to nothing there, so that a delay of it stands out from this machine's
/// disk.
pub struct SlowDisk {
    session: Option<BackgroundSession>,
    delays: Arc<Delays>,
    mount_point: TempDir,
    _files: TempDir,
}

impl SlowDisk {
    /// Mounts a file system without a delay. In a mount namespace of its own the kernel unmounts it when this process has gone,
    /// however it went; all mounts must be made in the same one, or a copy in another one keeps them from ending.
    pub fn mount() -> Self {
        let files = directory_in("/dev/shm");
        let mount_point = directory_in("/tmp");
        let delays = Arc::<Delays>::default();
        let file_system = PassThrough::to(files.path(), Arc::clone(&delays)).unwrap();
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName("slow_disk".to_owned()),
            MountOption::DefaultPermissions,
        ];
        // The server is another user.
        config.acl = SessionACL::All;
        let session = spawn_mount(file_system, &mount_point, &config).unwrap();
        Self {
            session: Some(session),
            delays,
            mount_point,
            _files: files,
        }
    }

    /// Returns the directory at which it is mounted.
    pub fn path(&self) -> &Path {
        self.mount_point.path()
    }

    /// Delays each call of a kind for a time, and returns the sum of the delays by the clock.
    pub fn delay_for(&self, call: FileCall, by: Duration, length: Duration) -> Duration {
        let delay = self.delay(call);
        delay.set(by);
        thread::sleep(length);
        delay.end();
        // Delays under way end.
        thread::sleep(2 * by);
        Duration::from_nanos(delay.slept.load(Relaxed))
    }

    fn delay(&self, call: FileCall) -> &Delay {
        match call {
            FileCall::Sync => &self.delays.sync,
            FileCall::Read => &self.delays.read,
            FileCall::Write => &self.delays.write,
        }
    }

    /// Delays each fsync from now on.
    pub fn delay_syncs(&self, by: Duration) {
        self.delays.sync.set(by);
    }

    /// Lets each fsync fail from now on, as on a broken device.
    pub fn fail_syncs(&self) {
        self.delays.syncs_fail.store(true, Relaxed);
    }

    /// Delays each read from now on.
    pub fn delay_reads(&self, by: Duration) {
        self.delays.read.set(by);
    }

    /// Delays each write from now on.
    pub fn delay_writes(&self, by: Duration) {
        self.delays.write.set(by);
    }

    /// Returns the mean delay of fsync since it was set, by the clock, in nanoseconds.
    pub fn delayed(&self) -> f64 {
        let times = self.delays.sync.times.load(Relaxed).max(1);
        self.delays.sync.slept.load(Relaxed) as f64 / times as f64
    }
}

impl Drop for SlowDisk {
    fn drop(&mut self) {
        let ended = self.session.take().map(BackgroundSession::umount_and_join);
        if let Some(Err(error)) = ended
            && !std::thread::panicking()
        {
            panic!("cannot unmount {}: {error}", self.path().display());
        }
    }
}

/// Start of the names of directories; the ID of their process follows.
const PREFIX: &str = "lt-known-delay-";

/// Creates a directory that every user may enter, and removes those of processes that were killed.
fn directory_in(parent: &str) -> TempDir {
    remove_stale(Path::new(parent));
    let prefix = format!("{PREFIX}{}-", process::id());
    let directory = tempfile::Builder::new()
        .prefix(&prefix)
        .tempdir_in(parent)
        .unwrap();
    fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
    directory
}

fn remove_stale(parent: &Path) {
    for entry in fs::read_dir(parent).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            // Another process may be at it as well.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[test]
fn what_a_killed_process_left_goes_and_nothing_else_does() {
    let parent = tempfile::tempdir().unwrap();
    let mut ended = process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let make = |name: String| {
        let path = parent.path().join(name).join("data");
        fs::create_dir_all(&path).unwrap();
        path
    };
    let stale = make(format!("{PREFIX}{}-abc", ended.id()));
    let kept = [
        make(format!("{PREFIX}{}-abc", process::id())),
        make(format!("{PREFIX}abc")),
        make("lt-abc".to_owned()),
    ];
    let new = directory_in(parent.path().to_str().unwrap());
    assert!(!stale.exists());
    assert!(kept.iter().all(|path| path.exists()) && new.path().exists());
}
