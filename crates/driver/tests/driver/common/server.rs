//! A private MySQL or MariaDB.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use logtrace_common::{Connection, Endpoint, Tls};
use logtrace_driver::Target;
use logtrace_testkit::{Turn, beside_others};
use mysql_async::prelude::{FromRow, Queryable};
use mysql_async::{Conn, Opts, OptsBuilder};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

pub(crate) const FLAVORS: [Flavor; 2] = [Flavor::Mysql, Flavor::Mariadb];

const MYSQL_PREFIX: &str = "/var/lib/logtrace/mysql";
const MARIADBD: &str = "/usr/sbin/mariadbd";
const TEMPLATES: &str = "/var/tmp/logtrace-test-templates";
/// Enough for a server to start on a busy machine.
pub(crate) const START_LIMIT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    Mysql,
    Mariadb,
}

/// A running server; dropping it kills it and removes its files.
pub(crate) struct Server {
    command: Command,
    process: Child,
    dir: TempDir,
    /// Beside other tests, unless the test has a turn alone.
    _turn: Turn,
}

impl Flavor {
    fn program(self) -> PathBuf {
        match self {
            Self::Mysql => Path::new(MYSQL_PREFIX).join("usr/sbin/mysqld"),
            Self::Mariadb => MARIADBD.into(),
        }
    }

    fn base_arguments(self) -> Vec<String> {
        match self {
            Self::Mysql => vec![
                "--no-defaults".into(),
                format!("--basedir={MYSQL_PREFIX}/usr"),
                format!("--lc-messages-dir={MYSQL_PREFIX}/usr/share/mysql"),
                format!("--plugin-dir={MYSQL_PREFIX}/usr/lib/mysql/plugin"),
                "--secure-file-priv=NULL".into(),
                "--mysqlx=OFF".into(),
                "--innodb-redo-log-capacity=33554432".into(),
            ],
            Self::Mariadb => vec!["--no-defaults".into(), "--log-bin=binlog".into()],
        }
    }

    /// An initialised data directory, made once.
    fn template(self) -> PathBuf {
        let path = Path::new(TEMPLATES).join(format!("driver-{self:?}").to_lowercase());
        if !path.exists() {
            fs::create_dir_all(TEMPLATES).unwrap();
            let new = private_dir(Path::new(TEMPLATES));
            let data = new.path().join("data");
            run(&mut self.initialise(&data));
            // Another test binary may have been faster.
            let _ = fs::rename(&data, &path);
        }
        path
    }

    fn initialise(self, data: &Path) -> Command {
        let data = data.display();
        match self {
            Self::Mysql => {
                let mut command = as_mysql(&self.program());
                command.args(self.base_arguments());
                command.args(["--initialize-insecure".into(), format!("--datadir={data}")]);
                command
            }
            Self::Mariadb => {
                let mut command = Command::new("mariadb-install-db");
                command.args(["--user=mysql", "--auth-root-authentication-method=normal"]);
                command.arg(format!("--datadir={data}"));
                command
            }
        }
    }
}

impl Server {
    /// Starts a server that is not durable (so that the disk sets no pace), with options of the test.
    pub(crate) fn start(flavor: Flavor, options: &[&str]) -> Self {
        let turn = beside_others();
        assert!(
            flavor.program().exists(),
            "these tests need {flavor:?} at {}: run scripts/setup",
            flavor.program().display()
        );
        let dir = private_dir(Path::new("/var/tmp"));
        let data = dir.path().join("data");
        run(Command::new("cp").arg("-a").arg(flavor.template()).arg(&data));
        let mut command = as_mysql(&flavor.program());
        command
            .args(flavor.base_arguments())
            .arg(format!("--datadir={}", data.display()))
            .arg(format!("--socket={}", dir.path().join("socket").display()))
            .arg(format!("--pid-file={}", dir.path().join("pid").display()))
            .arg(format!("--log-error={}", dir.path().join("error.log").display()))
            .arg(format!(
                "--general-log-file={}",
                dir.path().join("general.log").display()
            ))
            .args([
                "--skip-networking",
                "--sync-binlog=0",
                "--innodb-flush-log-at-trx-commit=2",
            ])
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = spawn(&mut command);
        let mut server = Self {
            command,
            process,
            dir,
            _turn: turn,
        };
        server.wait_until_it_answers();
        server
    }

    /// Shuts it down and starts it again, at the same place; returns how long there was none. It lives as long as the
    /// thread that does this.
    pub(crate) fn restart(&mut self) -> Duration {
        self.restart_after(Signal::TERM)
    }

    /// The same after any signal that ends it. What it committed is in the kernel's hands, and survives `KILL`.
    pub(crate) fn restart_after(&mut self, how: Signal) -> Duration {
        signal(self.pid(), how);
        self.process.wait().unwrap();
        let gone = Instant::now();
        self.process = spawn(&mut self.command);
        self.wait_until_it_answers();
        gone.elapsed()
    }

    pub(crate) fn target(&self, database: &str) -> Target {
        let connection = Connection {
            endpoint: Endpoint::Socket(self.dir.path().join("socket")),
            user: "root".into(),
            password: None,
            database: None,
            tls: Tls::default(),
            server_uid: None,
        };
        Target::new(&connection, database)
    }

    /// The rows of a query, on a connection of its own.
    pub(crate) fn query<T: FromRow + Send + 'static>(&self, sql: &str) -> Vec<T> {
        let options = self.options();
        block_on(async {
            let mut conn = Conn::new(options).await.unwrap();
            let rows = conn.query(sql).await.unwrap();
            conn.disconnect().await.unwrap();
            rows
        })
    }

    pub(crate) fn run(&self, sql: &str) {
        self.query::<mysql_async::Row>(sql);
    }

    /// A counter of SHOW GLOBAL STATUS.
    pub(crate) fn status(&self, name: &str) -> u64 {
        let rows: Vec<(String, String)> = self.query(&format!("SHOW GLOBAL STATUS LIKE '{name}'"));
        rows[0].1.parse().unwrap()
    }

    /// Options for a session of the test's own, which does not depend on the server's global variables either.
    pub(crate) fn options(&self) -> Opts {
        let options = OptsBuilder::default().user(Some("root")).prefer_socket(false);
        let own = "SET SESSION autocommit = 1, sql_big_selects = 1, sql_safe_updates = 0, \
                   sql_select_limit = 18446744073709551615";
        let options = options.init(vec![own, "SET SESSION TRANSACTION READ WRITE"]);
        options
            .socket(Some(self.dir.path().join("socket").display().to_string()))
            .into()
    }

    pub(crate) fn general_log(&self) -> String {
        fs::read_to_string(self.dir.path().join("general.log")).unwrap()
    }

    /// Sends a signal; a pid of its own, so that a thread of the test can do it while the server is borrowed.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    fn wait_until_it_answers(&mut self) {
        let start = Instant::now();
        let options = self.options();
        while block_on(async { Conn::new(options.clone()).await.is_err() }) {
            let ended = self.process.try_wait().unwrap();
            if ended.is_some() || start.elapsed() > START_LIMIT {
                let log = fs::read_to_string(self.dir.path().join("error.log")).unwrap_or_default();
                let signal = ended.and_then(|status| status.signal());
                panic!("the server does not start (ended: {ended:?}, signal {signal:?}); its log:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be stopped or gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn spawn(command: &mut Command) -> Child {
    command
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start setpriv (util-linux): {error}"))
}

/// Runs a future of the test on the calling thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

pub(crate) fn signal(pid: Pid, signal: Signal) {
    kill_process(pid, signal).unwrap();
}

/// A command that runs as the user mysql and is killed when the thread that starts it ends.
fn as_mysql(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args([
        "--reuid=mysql",
        "--regid=mysql",
        "--clear-groups",
        "--pdeathsig=KILL",
    ]);
    command.arg(program);
    command
}

/// A directory of the user mysql.
fn private_dir(parent: &Path) -> TempDir {
    let dir = tempfile::Builder::new()
        .prefix("logtrace-driver-")
        .tempdir_in(parent)
        .unwrap();
    run(Command::new("chown").arg("mysql:mysql").arg(dir.path()));
    dir
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {} {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}
