//! A server in a container that a test makes: mount, PID, UTS and IPC namespaces of its own, a root on overlayfs, and a
//! control group that is named as docker names one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::{Foreign, free_port};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::common::sysbench::prepare;
use crate::common::{patiently, send, server_of};

/// Makes the root `$base/root`, enters it and executes the rest of the arguments. The program, its libraries and all that
/// the server writes are on overlayfs, with their layers in the file system of `$base`.
const ENTER: &str = r#"
set -e
base=$1; shift
mount --make-rprivate /
overlay() { # LOWER UPPER TARGET
  mkdir -p "$base/$2" "$base/$2.work"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$base/$2,workdir=$base/$2.work" "$3"
}
overlay "$base/image" written "$base/root"
for directory in /usr /var/lib/logtrace/mysql; do
  mkdir -p "$base/root$directory"
  overlay "$directory" "of$(echo "$directory" | tr / .)" "$base/root$directory"
done
for link in bin sbin lib lib64; do ln -s "usr/$link" "$base/root/$link"; done
mkdir -p "$base/root/etc" "$base/root/dev" "$base/root/sys" "$base/root/proc"
mount --bind /etc "$base/root/etc"
mount --rbind /dev "$base/root/dev"
mount --rbind /sys "$base/root/sys"
mount -t proc proc "$base/root/proc"
hostname database
exec chroot "$base/root" "$@"
"#;

/// Whether a container has a network namespace of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Network {
    Own,
    Hosts,
}

/// A container with a server, which is its first process. All of it goes when this is dropped, and the processes also
/// when the test is killed.
pub(crate) struct Container {
    processes: Child,
    /// The server's process, by the host's number.
    pub(crate) pid: u32,
    /// The socket of the server by a path of the host.
    pub(crate) socket: PathBuf,
    /// Port of 127.0.0.1, with the host's network.
    pub(crate) port: u16,
    /// Number by which docker would name it.
    pub(crate) id: String,
    group: PathBuf,
    base: TempDir,
}

impl Container {
    /// Starts a server with the tables and accounts of sysbench's load, and waits until it answers.
    pub(crate) fn start(flavor: Flavor, network: Network) -> Self {
        let base = tempfile::Builder::new().prefix("lt-").tempdir_in("/tmp").unwrap();
        let port = free_port();
        let image = Image::make(flavor, port, base.path());
        let id = format!("{:064x}", u128::from(std::process::id()) << 32 | u128::from(port));
        let group = own_group().join(format!("docker-{id}.scope"));
        fs::create_dir(&group).unwrap();
        let namespaces: &[&str] = match network {
            Network::Own => &["--pid", "--net"],
            Network::Hosts => &["--pid"],
        };
        let mut command = in_namespaces(namespaces, base.path());
        command.args(image.command());
        let log = base.path().join("log");
        let processes = started_in(&group, &command, &log);
        let mut container = Self {
            processes,
            pid: 0,
            socket: PathBuf::new(),
            port,
            id,
            group,
            base,
        };
        let seen = std::cell::Cell::new(None);
        patiently("the server in the container", || {
            let is_ended = !Path::new(&format!("/proc/{}/exe", container.processes.id())).exists();
            assert!(!is_ended, "{}", fs::read_to_string(&log).unwrap());
            seen.set(server_of(&container.processes).filter(|&pid| image.answers(pid)));
            seen.get().is_some()
        });
        container.pid = seen.get().unwrap();
        container.socket = image.socket_of(container.pid);
        container
    }
}

impl Container {
    /// The directory of the host that holds the layers of the container.
    pub(crate) fn base(&self) -> &Path {
        self.base.path()
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        // The first process of a PID namespace ends with its parent, and all others with it.
        let _ = self.processes.kill();
        let _ = self.processes.wait();
        let group = self.group.clone();
        patiently("the end of the container", || {
            fs::remove_dir(&group).is_ok() || !group.exists()
        });
    }
}

/// A server's files below the image of a container, and how it is started.
struct Image {
    /// User and group.
    owner: (String, String),
    arguments: Vec<String>,
    socket: PathBuf,
}

impl Image {
    /// Starts a server, makes the accounts and tables, stops it, and copies its files below `base`.
    fn make(flavor: Flavor, port: u16, base: &Path) -> Self {
        let foreign = Foreign::start_with(flavor, &["performance_schema=ON"], Some(port));
        prepare(&foreign);
        foreign.tell("CREATE USER bench@'%' IDENTIFIED BY ''");
        foreign.tell("GRANT ALL ON *.* TO bench@'%'");
        let pid = foreign.pid();
        let arguments = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap();
        let arguments = arguments.trim_end_matches('\0').split('\0').map(str::to_owned);
        let arguments = arguments.collect();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().split_whitespace().next().unwrap().to_owned()
        };
        let owner = (number("Uid:"), number("Gid:"));
        let socket = foreign.socket();
        let directory = socket.parent().unwrap().parent().unwrap().parent().unwrap();
        let stat = format!("/proc/{pid}/stat");
        send(pid, Signal::TERM);
        patiently("the end of the server", || {
            fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "))
        });
        let image = base
            .join("image")
            .join(directory.parent().unwrap().strip_prefix("/").unwrap());
        fs::create_dir_all(&image).unwrap();
        run("cp", &["-a", path(directory), path(&image)]);
        run("chmod", &["0755", path(base)]);
        Self {
            owner,
            arguments,
            socket,
        }
    }

    /// The command that starts the server in the container. Its end with its parent has to be asked for again after a
    /// change of the user (prctl(2), `PR_SET_PDEATHSIG`).
    fn command(&self) -> Vec<String> {
        let (user, group) = &self.owner;
        let mut command = ["setpriv", "--pdeathsig", "KILL", "--clear-groups"]
            .map(str::to_owned)
            .to_vec();
        command.extend([format!("--reuid={user}"), format!("--regid={group}")]);
        command.extend(self.arguments.iter().cloned());
        command
    }

    fn socket_of(&self, pid: u32) -> PathBuf {
        PathBuf::from(format!("/proc/{pid}/root{}", self.socket.display()))
    }

    /// Whether the server of this process accepts connections.
    fn answers(&self, pid: u32) -> bool {
        std::os::unix::net::UnixStream::connect(self.socket_of(pid)).is_ok()
    }
}

/// A command that executes its further arguments in mount, UTS and IPC namespaces of their own, and in these, with the
/// root on overlayfs below `base`. It is killed when the thread that starts it ends.
pub(crate) fn in_namespaces(more: &[&str], base: &Path) -> Command {
    for directory in ["image", "root"] {
        fs::create_dir_all(base.join(directory)).unwrap();
    }
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "unshare", "--fork", "--kill-child"]);
    command.args(["--mount", "--uts", "--ipc"]).args(more);
    command.args(["sh", "-c", ENTER, "sh"]).arg(base);
    command
}

/// Starts a command in a control group, with its messages in the file `log`.
fn started_in(group: &Path, command: &Command, log: &Path) -> Child {
    let mut shell = Command::new("sh");
    shell.args(["-c", "echo $$ >\"$1\" && shift && exec \"$@\"", "sh"]);
    shell.arg(group.join("cgroup.procs")).arg(command.get_program());
    shell.args(command.get_args());
    shell.stdin(Stdio::null()).stdout(Stdio::null());
    shell.stderr(File::create(log).unwrap());
    shell.spawn().unwrap()
}

/// The directory of the control group (version 2) of this process.
fn own_group() -> PathBuf {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "));
    let mount = mount.and_then(|line| line.split_whitespace().nth(4)).unwrap();
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap();
    Path::new(mount).join(own)
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs a program that must succeed.
fn run(program: &str, arguments: &[&str]) {
    let status = Command::new(program).args(arguments).status().unwrap();
    assert!(status.success(), "{program} {arguments:?}: {status}");
}
