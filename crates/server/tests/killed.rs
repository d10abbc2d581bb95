//! logtrace dies without a chance to clean up: the kernel kills its server, and the next start its directory.
//!
//! The test runs itself as the process that is killed, so it has no test harness. Needs root, MySQL
//! (scripts/fetch-mysql) and MariaDB.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and tells what it did"
)]

use std::future::pending;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use logtrace_common::{FileClass, Flavor};
use logtrace_server::{
    FileLocation, Home, ImageConfig, ImageKind, Instance, InstanceConfig, KernelPlace, KernelSetting,
    KernelSettingsGuard, Placement, find,
};
use logtrace_testkit::beside_others;

/// Tells the process to hold a server in the directory that the value names.
const HOLD: &str = "LOGTRACE_TEST_HOLD";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let flavors = [Flavor::MySql, Flavor::MariaDb];
    if let Some(base) = std::env::var_os(HOLD) {
        let base = PathBuf::from(base);
        let flavor = flavors.into_iter().find(|flavor| base.ends_with(flavor.as_str()));
        return hold(&base, flavor.unwrap()).await;
    }
    let _turn = beside_others();
    for flavor in flavors {
        check(flavor).await;
        println!("a killed logtrace leaves no {flavor}: ok");
    }
}

fn config(base: &Path, flavor: Flavor) -> InstanceConfig {
    let binary = find(Some(flavor), &Home::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut config = InstanceConfig::new(binary, base.join("server.log"));
    config.home.instances = base.to_owned();
    config
}

/// Starts a server, says its process and directory, and holds it until killed.
async fn hold(base: &Path, flavor: Flavor) {
    let mut config = config(base, flavor);
    let image = ImageConfig::new(ImageKind::Ext4, "1G".parse().unwrap());
    config.storage.placements.push(Placement {
        class: FileClass::Redo,
        place: FileLocation::Volume(image),
    });
    let setting = KernelSetting {
        name: READ_AHEAD.into(),
        value: "64".into(),
    };
    let _guard = KernelSettingsGuard::set(base, &KernelPlace::Queue(idle_disk()), &[setting]).unwrap();
    let instance = Instance::start(&config, None, &|_| {}).await.unwrap();
    let mut out = std::io::stdout();
    writeln!(out, "{} {}", instance.pid(), instance.directory().display()).unwrap();
    out.flush().unwrap();
    pending::<()>().await;
}

/// Loop devices whose file is, or was, in the directory.
fn loop_devices(directory: &Path) -> usize {
    let directory = directory.to_string_lossy();
    let devices = std::fs::read_dir("/sys/block").unwrap().flatten();
    let files =
        devices.filter_map(|device| std::fs::read_to_string(device.path().join("loop/backing_file")).ok());
    files.filter(|file| file.starts_with(&*directory)).count()
}

/// A setting that nobody minds.
const READ_AHEAD: &str = "read_ahead_kb";

/// The last loop device, which nobody uses.
fn idle_disk() -> String {
    let disks = std::fs::read_dir("/sys/block").unwrap().flatten();
    let names = disks.map(|disk| disk.file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("loop")).max().unwrap()
}

fn read_ahead() -> String {
    std::fs::read_to_string(format!("/sys/block/{}/queue/{READ_AHEAD}", idle_disk())).unwrap()
}

async fn check(flavor: Flavor) {
    let root = tempfile::Builder::new().prefix("lt-").tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let base = root.path().join(flavor.as_str());
    std::fs::create_dir(&base).unwrap();
    wait_for_plain_group();
    let before = read_ahead();
    assert_ne!(before.trim(), "64");
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .env(HOLD, &base)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let (pid, directory) = line
        .trim()
        .split_once(' ')
        .expect("the holder says what it holds");
    let (server, directory) = (PathBuf::from(format!("/proc/{pid}")), PathBuf::from(directory));
    assert!(server.exists() && directory.is_dir());
    let group = group_of(pid);
    let mut daemon = daemon_in(&group);
    assert_eq!(loop_devices(&base), 1);

    holder.kill().unwrap();
    holder.wait().unwrap();
    let start = Instant::now();
    while server.exists() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{flavor} outlives logtrace"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    while loop_devices(&base) > 0 {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "its file system outlives {flavor}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(read_ahead().trim(), "64", "nobody was there to put it back");
    assert!(directory.is_dir(), "nobody was there to remove it");
    assert_eq!(daemon.try_wait().unwrap(), None, "nobody was there to kill it");
    let next = Instance::start(&config(&base, flavor), None, &|_| {})
        .await
        .unwrap();
    assert!(!directory.exists(), "the next start sweeps");
    assert_eq!(read_ahead(), before);
    assert!(daemon.wait().unwrap().signal().is_some() && !group.exists());
    assert!(next.directory().is_dir() && next.is_running());

    let group = group_of(&next.pid().to_string());
    let mut daemon = daemon_in(&group);
    next.stop().await.unwrap();
    assert!(daemon.wait().unwrap().signal().is_some() && !group.exists());
    assert_eq!(std::fs::read_dir(&base).unwrap().count(), 1, "the server's log");
}

/// Waits until the control group of this process has no controllers, which other tests give it for a while: a server has no group
/// of its own then.
fn wait_for_plain_group() {
    let start = Instant::now();
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::")).unwrap();
    let is_plain = |root: &str| {
        let controllers = std::fs::read_to_string(format!("{root}{own}/cgroup.subtree_control"));
        controllers.is_ok_and(|controllers| controllers.trim().is_empty())
    };
    while !["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        .into_iter()
        .any(is_plain)
    {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "a control group has controllers"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Returns the control group of a server, which is its own.
fn group_of(pid: &str) -> PathBuf {
    let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap();
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap();
    assert!(path.contains("logtrace-instance-"), "{groups}");
    let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    let mut found = roots.iter().map(|root| Path::new(root).join(path));
    found.find(|group| group.join("cgroup.procs").exists()).unwrap()
}

/// Starts a process in a server's group and in a session of its own, as a child of the server could.
fn daemon_in(group: &Path) -> Child {
    let script = format!(
        "echo $$ > {}/cgroup.procs && exec setsid -w sleep 1000",
        group.display()
    );
    let daemon = Command::new("sh").args(["-c", &script]).spawn().unwrap();
    let procs = || std::fs::read_to_string(group.join("cgroup.procs")).unwrap();
    while !procs().lines().any(|pid| pid == daemon.id().to_string()) {
        std::thread::sleep(Duration::from_millis(5));
    }
    daemon
}
