//! A server that is not of the program that is tested.

use std::fs::{self, File, Permissions};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use logtrace_common::Flavor;
use logtrace_server::{Home, Instance, InstanceConfig, find};
use mysql_async::prelude::{FromRow, Queryable};
use mysql_async::{Conn, OptsBuilder};
use tokio::runtime::{Builder, Runtime};

/// Least number of places of the tracer's probes in a server's program: the begin and the end of a commit.
const PROBES: usize = 2;

/// Server that no run of logtrace started. It ends with the thread that started it.
pub struct Foreign {
    runtime: Runtime,
    server: Instance,
    /// Directory of the server, apart from those of private servers.
    _base: tempfile::TempDir,
}

impl Foreign {
    /// Starts a server and waits until it answers.
    pub fn start(flavor: Flavor) -> Self {
        Self::start_with(flavor, &[], None)
    }

    /// Starts a server with settings, and with a port of 127.0.0.1 if there is one.
    pub fn start_with(flavor: Flavor, settings: &[&str], port: Option<u16>) -> Self {
        Self::start_at(
            flavor,
            settings,
            port.map(|port| (Ipv4Addr::LOCALHOST, port).into()),
        )
    }

    /// Starts a server with settings, and with an address at which it listens if there is one.
    pub fn start_at(flavor: Flavor, settings: &[&str], listen: Option<SocketAddr>) -> Self {
        Self::start_as(flavor, |config| {
            config.settings = settings.iter().map(|text| text.parse().unwrap()).collect();
            config.listen = listen;
        })
    }

    /// Starts a server with its binlog in a directory of another file system.
    pub fn start_with_binlog_in(flavor: Flavor, directory: &Path) -> Self {
        let placement = format!("binlog={}", directory.display());
        Self::start_as(flavor, |config| {
            config.storage.placements = vec![placement.parse().unwrap()];
        })
    }

    /// Starts a server with its configuration changed by `configure`.
    pub fn start_as(flavor: Flavor, configure: impl FnOnce(&mut InstanceConfig)) -> Self {
        let base = tempfile::Builder::new().prefix("lt-").tempdir_in("/tmp").unwrap();
        fs::set_permissions(base.path(), Permissions::from_mode(0o755)).unwrap();
        let mut config = InstanceConfig::new(
            find(Some(flavor), &Home::default()).unwrap(),
            base.path().join("log"),
        );
        config.home.instances = base.path().to_owned();
        // File systems of experiments are mounted there.
        config.storage.directories = vec!["/tmp".into()];
        configure(&mut config);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let server = runtime.block_on(Instance::start(&config, None, &|_| {})).unwrap();
        Self {
            runtime,
            server,
            _base: base,
        }
    }

    /// Returns the address for an account, as `--server` takes it.
    pub fn address(&self, user: &str) -> String {
        let socket = self.server.socket();
        format!("mysql://{user}@localhost/?socket={}", socket.display())
    }

    /// Returns the process ID.
    pub fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// Returns the path of the socket.
    pub fn socket(&self) -> PathBuf {
        self.server.socket()
    }

    /// Executes a statement as root.
    pub fn tell(&self, statement: &str) {
        self.with(async |mut conn| {
            conn.query_drop(statement).await.unwrap();
            conn.disconnect().await.unwrap();
        });
    }

    /// Returns the first row of a query.
    pub fn ask<T: FromRow + Send + 'static>(&self, statement: &str) -> T {
        self.with(async |mut conn| {
            let row = conn.query_first(statement).await.unwrap();
            conn.disconnect().await.unwrap();
            row.unwrap()
        })
    }

    /// Returns the options of a connection as root.
    pub fn options(&self) -> OptsBuilder {
        let socket = self.server.socket();
        OptsBuilder::default()
            .socket(Some(socket.to_string_lossy()))
            .user(Some("root"))
    }

    /// Runs `work` with a new connection.
    pub fn with<T>(&self, work: impl AsyncFnOnce(Conn) -> T) -> T {
        let options = self.options();
        self.runtime
            .block_on(async { work(Conn::new(options).await.unwrap()).await })
    }

    /// Returns all rows of a query.
    pub fn ask_all<T: FromRow + Send + 'static>(&self, statement: &str) -> Vec<T> {
        self.with(async |mut conn| {
            let rows = conn.query(statement).await.unwrap();
            conn.disconnect().await.unwrap();
            rows
        })
    }

    /// Waits until a tracer has attached its probes: none is added for half a second. They are added one by one, and on a
    /// busy machine with pauses.
    pub fn wait_until_traced(&self) {
        let start = Instant::now();
        let mut seen = [0; 20];
        while seen[0] < PROBES || seen.iter().any(|&count| count != seen[0]) {
            assert!(start.elapsed() < Duration::from_secs(60), "no probes come");
            sleep(Duration::from_millis(20));
            seen.rotate_left(1);
            seen[19] = self.changed_code_bytes();
        }
    }

    /// Waits until a tracer has attached its probes and removed some of them, as after a burst.
    pub fn wait_until_untraced(&self) {
        let start = Instant::now();
        let mut most = 0;
        loop {
            let now = self.changed_code_bytes();
            if most >= PROBES && now < most {
                return;
            }
            most = most.max(now);
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "at most {most} probes, none went"
            );
            sleep(Duration::from_millis(20));
        }
    }

    /// Returns the number of bytes of code that differ from the program file. Each place of a uprobe has one.
    pub fn changed_code_bytes(&self) -> usize {
        let pid = self.pid();
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
        let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap();
        let file = File::open(&program).unwrap();
        let memory = File::open(format!("/proc/{pid}/mem")).unwrap();
        maps.lines()
            .filter(|line| line.contains(" r-xp ") && line.ends_with(program.to_str().unwrap()))
            .map(|line| changed_bytes(line, &file, &memory))
            .sum()
    }
}

/// Returns the number of bytes of a mapping, a line of `/proc/PID/maps`, in which memory and file differ.
fn changed_bytes(mapping: &str, file: &File, memory: &File) -> usize {
    let words: Vec<&str> = mapping.split_whitespace().collect();
    let hexadecimal = |word: &str| u64::from_str_radix(word, 16).unwrap();
    let (start, end) = words[0].split_once('-').unwrap();
    let (start, offset) = (hexadecimal(start), hexadecimal(words[2]));
    let length = (hexadecimal(end) - start).min(file.metadata().unwrap().len() - offset);
    let read = |from: &File, at| {
        let mut bytes = vec![0; usize::try_from(length).unwrap()];
        from.read_exact_at(&mut bytes, at).unwrap();
        bytes
    };
    let (mapped, original) = (read(memory, start), read(file, offset));
    // Equal pages are compared at once: bytes one by one would take longer than a burst.
    let pages = mapped.chunks(4096).zip(original.chunks(4096));
    pages
        .filter(|(a, b)| a != b)
        .map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a != b).count())
        .sum()
}

/// Returns a port of 127.0.0.1 at which nobody listens.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
