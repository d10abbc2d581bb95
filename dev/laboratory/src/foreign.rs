//! A server that is not of the program that is tested.

use std::fs::{self, Permissions};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use logtrace_common::{Flavor, Variable};
use logtrace_server::{Home, Instance, InstanceConfig, find};
use mysql_async::prelude::{FromRow, Queryable};
use mysql_async::{Conn, OptsBuilder};
use tokio::runtime::{Builder, Runtime};

use crate::probes_in_code::{PROBES, changed_code_bytes, wait_until_traced};

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

    /// Gives the server these settings, and starts it again where they ask for that.
    pub fn reconfigured(self, settings: &[&str]) -> Self {
        let settings: Vec<Variable> = settings.iter().map(|text| text.parse().unwrap()).collect();
        let Self {
            runtime,
            server,
            _base,
        } = self;
        let server = runtime.block_on(server.reconfigure(&settings)).unwrap();
        Self {
            runtime,
            server,
            _base,
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

    /// Waits until a tracer has attached its probes.
    pub fn wait_until_traced(&self) {
        wait_until_traced(self.pid());
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
        changed_code_bytes(self.pid())
    }
}

/// Returns a port of 127.0.0.1 at which nobody listens.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
