//! A server that somebody else runs: here one that the test starts as a user would.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use logtrace_common::Flavor;
use logtrace_common::{CONNECT_TIMEOUT, ConnectError, Connection, Endpoint, Password, Variable};
use logtrace_server::{
    Home, ManagedServer, ProcessEnd, Server, ServerChoice, ServerConfig, ServerError, SettingError, Storage,
    find, parse_dsn,
};
use rstest::rstest;
use tempfile::TempDir;

use crate::base::{Base, ask, tell, wait_until};

/// A server on a socket and a port, killed at the end.
struct Foreign {
    child: Child,
    base: Base,
    /// Directory of notes, which is not the server's.
    notes: TempDir,
    port: u16,
}

impl Foreign {
    async fn start(flavor: Flavor) -> Self {
        let base = Base::new();
        let binary = find(Some(flavor), &Home::default()).unwrap_or_else(|error| panic!("{error}"));
        let prefix = binary.path.parent().unwrap().parent().unwrap();
        let data = base.path().join("data");
        let port = free_port();
        let common = |command: &mut Command| {
            command
                .arg("--no-defaults")
                .arg(format!("--datadir={}", data.display()))
                .arg(format!("--tmpdir={}", base.path().display()))
                .arg("--user=mysql")
                .stdin(Stdio::null());
            if flavor == Flavor::MySql {
                command
                    .arg(format!("--basedir={}", prefix.display()))
                    .arg(format!("--lc-messages-dir={}/share/mysql", prefix.display()))
                    .arg("--secure-file-priv=NULL")
                    .arg("--mysqlx=OFF");
            }
        };
        let log = File::create(base.path().join("foreign.log")).unwrap();
        let mut initialise = match flavor {
            Flavor::MySql => Command::new(&binary.path),
            Flavor::MariaDb => Command::new("mariadb-install-db"),
        };
        common(&mut initialise);
        match flavor {
            Flavor::MySql => initialise.arg("--initialize-insecure"),
            Flavor::MariaDb => initialise.args(["--auth-root-authentication-method=normal", "--force"]),
        };
        initialise
            .stdout(log.try_clone().unwrap())
            .stderr(log.try_clone().unwrap());
        std::os::unix::fs::chown(base.path(), Some(user_id()), None).unwrap();
        let initialised = initialise.status().unwrap();
        let log_path = base.path().join("foreign.log");
        let text = fs::read_to_string(&log_path).unwrap();
        assert!(initialised.success(), "{text}");

        let mut start = Command::new(&binary.path);
        common(&mut start);
        start
            .arg(format!("--socket={}/sock", base.path().display()))
            .arg("--bind-address=127.0.0.1")
            .arg(format!("--port={port}"))
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        let child = start.spawn().unwrap();
        let foreign = Self {
            child,
            base,
            notes: tempfile::tempdir().unwrap(),
            port,
        };
        let is_ready = |log: String| log.contains("ready for connections.");
        wait_until(|| fs::read_to_string(&log_path).is_ok_and(is_ready)).await;
        foreign
    }

    fn socket(&self) -> PathBuf {
        self.base.path().join("sock")
    }

    fn by_socket(&self, user: &str) -> Connection {
        let socket = self.socket();
        parse_dsn(&format!("mysql://{user}@localhost/?socket={}", socket.display())).unwrap()
    }

    fn by_port(&self, user: &str) -> Connection {
        parse_dsn(&format!(
            "mysql://{user}@127.0.0.1:{}/?get-server-public-key=true",
            self.port
        ))
        .unwrap()
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Attaches with notes in a directory.
async fn attach(
    directory: &Path,
    connection: &Connection,
    settings: &[Variable],
) -> Result<ManagedServer, ServerError> {
    ManagedServer::attach(connection, settings, None, &directory.join("notes")).await
}

fn user_id() -> u32 {
    logtrace_server::ServerUser::choose(Some("mysql")).unwrap().uid
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn a_running_server_is_found_set_and_put_back(#[case] flavor: Flavor) {
    let mut foreign = Foreign::start(flavor).await;
    let pid = foreign.child.id();

    let by_socket = foreign.by_socket("root");
    let wanted = ["sync_binlog=7", "long-query-time=0.5"].map(|text| text.parse().unwrap());
    let server = attach(foreign.notes.path(), &by_socket, &wanted).await.unwrap();
    assert_eq!((server.facts.flavor, server.facts.pid), (flavor, Some(pid)));
    assert!(!server.facts.private);
    assert_eq!(server.facts.variables["sync_binlog"], "7");
    let old: u32 = if flavor == Flavor::MySql { 1 } else { 0 };
    server.restore().await.unwrap();
    assert_eq!(
        ask::<u32>(&foreign.socket(), "SELECT @@GLOBAL.sync_binlog").await,
        old
    );
    assert_eq!(
        ask::<f64>(&foreign.socket(), "SELECT @@GLOBAL.long_query_time").await,
        10.0
    );

    refused_settings(&foreign, old).await;
    passwords(&foreign, flavor).await;

    let config = ServerConfig {
        storage: Storage::default(),
        cpus: None,
        choice: Some(ServerChoice::Running(by_socket)),
        settings: wanted.to_vec(),
        log: PathBuf::new(),
        home: Home::at(foreign.notes.path()),
        database: None,
    };
    let server = Server::open(&config, None, &|_| {}).await.unwrap();
    assert_eq!(server.connection().endpoint, Endpoint::Socket(foreign.socket()));
    server.finish().await.unwrap();
    assert_eq!(
        ask::<u32>(&foreign.socket(), "SELECT @@GLOBAL.sync_binlog").await,
        old
    );

    let server = attach(foreign.notes.path(), &foreign.by_socket("root"), &[])
        .await
        .unwrap();
    assert!(server.is_running());
    foreign.child.kill().unwrap();
    assert_eq!(server.died().await, ProcessEnd::Signal(9));
}

/// A stopped server stands for a network that loses a connection without a word to either end.
#[tokio::test]
async fn a_server_that_stops_answering_is_not_waited_for_forever() {
    let foreign = Foreign::start(Flavor::MariaDb).await;
    let wanted = ["sync_binlog=7".parse().unwrap()];
    let server = attach(foreign.notes.path(), &foreign.by_port("root"), &wanted).await;
    let server = server.unwrap();
    let pid = rustix::process::Pid::from_child(&foreign.child);
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    // Until all its threads have stopped: one that still runs answers.
    rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::UNTRACED).unwrap();
    let restored = tokio::time::timeout(5 * CONNECT_TIMEOUT, server.restore()).await;
    let error = format!("{:#}", anyhow::Error::from(restored.unwrap().unwrap_err()));
    assert!(
        error.contains("does not answer") && error.contains("SET GLOBAL sync_binlog = 0"),
        "{error}"
    );
}

async fn refused_settings(foreign: &Foreign, old: u32) {
    let cases = [
        ("innodb_page_size=4k", "read only"),
        ("no_such_variable=1", "unknown"),
        ("sync_binlog=word", "refused"),
        ("max_connections=999999999", "refused"),
    ];
    for (setting, kind) in cases {
        let wanted = ["sync_binlog=9", setting].map(|text| text.parse().unwrap());
        let error = attach(foreign.notes.path(), &foreign.by_socket("root"), &wanted)
            .await
            .unwrap_err();
        let ServerError::Setting(error) = error else {
            panic!("{setting}: {error}");
        };
        let seen = match &error {
            SettingError::ReadOnly(_) => "read only",
            SettingError::Unknown { .. } => "unknown",
            SettingError::Refused { .. } => "refused",
            _ => "other",
        };
        assert_eq!(seen, kind, "{setting}: {error}");
        // What was set before it is as it was.
        assert_eq!(
            ask::<u32>(&foreign.socket(), "SELECT @@GLOBAL.sync_binlog").await,
            old
        );
    }
}

async fn passwords(foreign: &Foreign, flavor: Flavor) {
    for statement in [
        "CREATE USER bench@localhost IDENTIFIED BY 'geheim'",
        "CREATE USER bench@'127.0.0.1' IDENTIFIED BY 'geheim'",
        "GRANT ALL ON *.* TO bench@localhost",
        "GRANT ALL ON *.* TO bench@'127.0.0.1'",
    ] {
        tell(&foreign.socket(), statement).await;
    }
    for mut wanted in [foreign.by_socket("bench"), foreign.by_port("bench")] {
        for wrong in [None, Some(Password::new("falsch"))] {
            wanted.password = wrong;
            let error = attach(foreign.notes.path(), &wanted, &[]).await.unwrap_err();
            let text = error.to_string();
            assert!(
                matches!(&error, ServerError::Connect(ConnectError::AccessDenied { .. }))
                    && text.contains("LOGTRACE_PASSWORD")
                    && !text.contains("falsch"),
                "{flavor}: {text}"
            );
        }
        wanted.password = Some(Password::new("geheim"));
        let server = attach(foreign.notes.path(), &wanted, &[]).await.unwrap();
        assert_eq!(server.facts.pid, Some(foreign.child.id()));
        server.restore().await.unwrap();
    }
}

#[tokio::test]
async fn nobody_there_is_told_from_somebody_else() {
    let base = Base::new();
    let socket = base.path().join("sock");
    let at = parse_dsn(&format!("mysql://root@localhost/?socket={}", socket.display())).unwrap();
    assert!(matches!(
        attach(tempfile::tempdir().unwrap().path(), &at, &[]).await.unwrap_err(),
        ServerError::Connect(ConnectError::NoSocket(path)) if path == socket
    ));
    // A socket whose server is gone.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    assert!(matches!(
        attach(tempfile::tempdir().unwrap().path(), &at, &[])
            .await
            .unwrap_err(),
        ServerError::Connect(ConnectError::Refused(_))
    ));
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let at = parse_dsn(&format!("mysql://root@127.0.0.1:{port}/")).unwrap();
    let error = attach(tempfile::tempdir().unwrap().path(), &at, &[])
        .await
        .unwrap_err();
    assert!(
        matches!(error, ServerError::Connect(ConnectError::Refused(_))),
        "{error}"
    );
}

#[tokio::test]
async fn a_forwarder_in_front_of_a_server_is_not_the_server() {
    let base = Base::new();
    let instance = logtrace_server::Instance::start(&base.config(Flavor::MariaDb, &[]), None, &|_| {})
        .await
        .unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let socket = instance.socket();
    let forward = tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut server = tokio::net::UnixStream::connect(&socket).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut server).await });
        }
    });
    let at = parse_dsn(&format!("mysql://root@127.0.0.1:{port}/")).unwrap();
    let error = attach(tempfile::tempdir().unwrap().path(), &at, &[])
        .await
        .unwrap_err();
    let own = std::process::id();
    assert!(
        error.to_string().starts_with(&format!("process {own} behind ")),
        "{error}"
    );
    forward.abort();
}
