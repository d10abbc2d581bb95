//! Private instances of both real servers.

use std::fs::{self, Permissions};
use std::future::Future;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::pin::pin;
use std::task::Poll;

use logtrace_common::Flavor;
use logtrace_server::{
    Home, HostFacts, Instance, ProcessEnd, Server, ServerChoice, ServerConfig, ServerError, ServerUser,
    SettingError, Storage, status_delta,
};
use rstest::rstest;

use crate::base::{Base, ask, wait_until};

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn a_server_starts_durable_and_private_and_stops_without_a_trace(#[case] flavor: Flavor) {
    let base = Base::new();
    let config = base.config(flavor, &[]);
    let instance = Instance::start(&config, None, &|_| {}).await.unwrap();
    let facts = instance.facts();
    assert_eq!(
        (facts.flavor, facts.pid, facts.private),
        (flavor, Some(instance.pid()), true)
    );
    assert_eq!(facts.version, config.binary.version);
    assert_eq!(facts.binary.as_ref(), Some(&config.binary.path));
    let durable = [
        ("log_bin", "ON"),
        ("sync_binlog", "1"),
        ("innodb_flush_log_at_trx_commit", "1"),
        ("binlog_format", "ROW"),
        ("innodb_buffer_pool_size", "268435456"),
        ("skip_networking", "ON"),
    ];
    for (name, value) in durable {
        assert_eq!(facts.variables[name], value, "{name}");
    }
    assert_eq!(facts.log_names().binlog, "binlog");
    assert!(instance.data_directory().join("binlog.000001").is_file());
    let user = ServerUser::choose(None).unwrap();
    let owner = fs::metadata(format!("/proc/{}", instance.pid())).unwrap().uid();
    assert!(owner == user.uid && owner != 0, "the server runs as {owner}");
    let line = |file: &str, name: &str| {
        let text = fs::read_to_string(format!("/proc/{}/{file}", instance.pid())).unwrap();
        let value = text.lines().find_map(|line| line.strip_prefix(name));
        value.unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("status", "Groups:"), "", "supplementary groups of root");
    assert_eq!(line("status", "NoNewPrivs:"), "1");
    assert_eq!(line("limits", "Max core file size"), "0 0 bytes");
    assert_eq!(ask::<u32>(&instance.socket(), "SELECT 6 * 7").await, 42);
    assert_eq!(base.left(), [instance.directory()]);

    assert!(matches!(instance.stop().await.unwrap(), ProcessEnd::Code(0)));
    assert_eq!((base.left().len(), base.processes()), (0, vec![]));
    let log = fs::read_to_string(base.path().join("server.log")).unwrap();
    assert!(log.to_lowercase().contains("shutdown complete"), "{log}");
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn settings_take_and_are_verified(#[case] flavor: Flavor) {
    let base = Base::new();
    let settings = [
        "log-bin=OFF",
        "sync_binlog=100",
        "innodb_buffer_pool_size=128M",
        "long_query_time=0.25",
        "slow_query_log=1",
        "slow_query_log_file=slow.log",
        "innodb_page_size=4k",
    ];
    let instance = Instance::start(&base.config(flavor, &settings), None, &|_| {})
        .await
        .unwrap();
    let variables = &instance.facts().variables;
    assert_eq!(variables["log_bin"], "OFF");
    assert_eq!(variables["innodb_page_size"], "4096");
    assert_eq!(instance.facts().log_names().slow_log, "slow.log");
    let place: String = ask(&instance.socket(), "SELECT @@tmpdir").await;
    assert_eq!(place, instance.directory().join("tmp").to_string_lossy());
}

#[rstest]
#[case(Flavor::MySql, "innodb_buffer_pool_size=1")]
#[case(Flavor::MariaDb, "innodb_buffer_pool_size=9999999")]
#[tokio::test]
async fn a_setting_that_does_not_take_is_an_error(#[case] flavor: Flavor, #[case] adjusted: &'static str) {
    let base = Base::new();
    let refused = |setting: &'static str| {
        let config = base.config(flavor, &[setting]);
        async move { Instance::start(&config, None, &|_| {}).await.unwrap_err() }
    };
    let error = refused(adjusted).await;
    let text = error.to_string();
    assert!(
        matches!(error, ServerError::Setting(SettingError::NotTaken { .. })) && text.contains(adjusted),
        "{text}"
    );
    let error = refused("sync_binlgo=1").await;
    assert!(
        matches!(&error, ServerError::Setting(SettingError::Unknown { name, .. }) if name == "sync_binlgo"),
        "{error}"
    );
    let error = refused("innodb_data_home_dir=no/such/place").await;
    assert!(
        error.to_string().contains("ended with")
            && error.to_string().contains("\n  ")
            && error.to_string().contains("[ERROR]"),
        "{error}"
    );
    assert_eq!((base.left().len(), base.processes()), (0, vec![]));
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn a_server_that_dies_is_noticed(#[case] flavor: Flavor) {
    let base = Base::new();
    let instance = Instance::start(&base.config(flavor, &[]), None, &|_| {})
        .await
        .unwrap();
    assert!(instance.is_running());
    let pid = rustix::process::Pid::from_raw(i32::try_from(instance.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    // Two at once: the wait is not used up by the first.
    let ends = tokio::join!(instance.died(), instance.died());
    assert_eq!(ends, (ProcessEnd::Signal(9), ProcessEnd::Signal(9)));
    assert!(!instance.is_running());
    drop(instance);
    assert_eq!(base.left().len(), 0);
}

/// Polls `future` a number of times, then gives up on it.
async fn abandoned<F: Future>(future: F, polls: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = polls;
    std::future::poll_fn(move |context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(context).map(Some)
    })
    .await
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn a_start_that_is_given_up_leaves_nothing(#[case] flavor: Flavor) {
    let base = Base::new();
    let mut config = base.config(flavor, &[]);
    // Templates of its own: initialising can be given up as well.
    config.home.templates = base.path().join("t");
    let mut polls = 1;
    loop {
        let started = abandoned(Instance::start(&config, None, &|_| {}), polls).await;
        let ready = started.is_some_and(|started| started.is_ok());
        assert_eq!(base.processes(), Vec::<i32>::new(), "after {polls} polls");
        wait_until(|| base.left().is_empty()).await;
        let templates = fs::read_dir(&config.home.templates).unwrap();
        let unfinished = templates
            .filter(|entry| {
                entry
                    .as_ref()
                    .unwrap()
                    .path()
                    .to_string_lossy()
                    .contains("unfinished")
            })
            .count();
        assert_eq!(unfinished, 0, "after {polls} polls");
        if ready {
            break;
        }
        polls *= 2;
    }
    assert!(polls > 4, "a start is more than {polls} steps");
}

#[tokio::test]
async fn a_directory_that_the_servers_user_may_not_pass_is_named() {
    let base = Base::new();
    let config = base.config(Flavor::MariaDb, &[]);
    fs::set_permissions(base.path(), Permissions::from_mode(0o700)).unwrap();
    let error = Instance::start(&config, None, &|_| {}).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("may not enter {}:", base.path().display())),
        "{error}"
    );
}

#[rstest]
#[case("mysql")]
#[case("mariadb")]
#[tokio::test]
async fn the_uniform_handle_serves_a_private_server(#[case] choice: ServerChoice) {
    let base = Base::new();
    let config = ServerConfig {
        storage: Storage::default(),
        cpus: None,
        choice: Some(choice),
        settings: Vec::new(),
        log: base.path().join("server.log"),
        home: Home {
            instances: base.instances(),
            ..Home::default()
        },
        database: None,
    };
    let server = Server::open(&config, None, &|_| {}).await.unwrap();
    let before = server.status().await.unwrap();
    let after = server.status().await.unwrap();
    assert!(status_delta(&before, &after)["Questions"] > 0);
    let host = HostFacts::collect(&[&base.instances()], &[]).unwrap();
    assert!(host.file_systems[0].free_bytes > 0);
    assert!(server.is_running());
    server.finish().await.unwrap();
    assert_eq!(base.left().len(), 0);
}
