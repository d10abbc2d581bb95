//! Sessions set what they rely on, whatever the server did to them: rows and counts are right, and the server's globals
//! stay as they were.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::common::drives::{DATASET, config, drive_to_end, load_dataset, plain, uniform};
use crate::common::server::{FLAVORS, Flavor, Server};
use logtrace_driver::{
    CustomWorkload, DriveError, LoadConfig, Loaded, Protocol, Requests, Target, WorkloadInfo,
    WorkloadOptions, drop_database, load,
};

/// Number of requests of a drive.
const REQUESTS: u64 = 40;

/// A file whose types of requests have a transaction or none, on one connection. Its rows are counted.
const FILE: &str = r#"
[[table]]
name = "entry"
create = "CREATE TABLE entry (id BIGINT NOT NULL, note VARCHAR(40) NOT NULL, PRIMARY KEY (id, note))"
rows = 20
columns.id = { type = "row" }
columns.note = { type = "text", min_length = 12, length = 12 }

[[request]]
name = "two"
transaction = true
statements = ["INSERT INTO entry VALUES (:id, 'one')", "INSERT INTO entry VALUES (:id, 'two')"]
[request.parameters]
id = { type = "unique" }

[[request]]
name = "one"
statements = ["INSERT INTO entry VALUES (:id, 'three')"]
[request.parameters]
id = { type = "unique" }
"#;

fn of_file(text: &str, options: &WorkloadOptions) -> Requests {
    Requests::of_file(CustomWorkload::read("entries.toml", text).unwrap(), options).unwrap()
}

/// Sums of `k` and numbers of rows of sysbench's tables.
fn contents(server: &Server) -> (u64, u64) {
    let sums: Vec<(u64, u64)> = (1..=DATASET.tables)
        .flat_map(|table| {
            server.query(&format!(
                "SELECT CAST(COALESCE(SUM(k), 0) AS UNSIGNED), COUNT(*) FROM logtrace.sbtest{table}"
            ))
        })
        .collect();
    (
        sums.iter().map(|(k, _)| k).sum(),
        sums.iter().map(|(_, rows)| rows).sum(),
    )
}

fn drive_some(target: &Target, requests: Requests) -> u64 {
    let length = Duration::from_millis(REQUESTS * 5 / 2);
    let mut config = config(target.clone(), "update_key", uniform(400.0), length);
    config.requests = requests;
    let measured = drive_to_end(&config);
    assert_eq!(
        (measured.requests, measured.done),
        (REQUESTS, REQUESTS),
        "{:?}",
        measured.errors
    );
    measured.done
}

/// Loads and drives sysbench's tables and those of a file, and counts what is there.
fn assert_all_is_counted(server: &Server, target: &Target) {
    load_dataset(target, DATASET);
    for table in 1..=DATASET.tables {
        let found: Vec<(u64, Option<u64>, Option<u64>)> = server.query(&format!(
            "SELECT COUNT(*), MIN(id), MAX(id) FROM logtrace.sbtest{table}"
        ));
        assert_eq!(found, [(1000, Some(1), Some(1000))]);
    }
    let (k, rows) = contents(server);
    let done = drive_some(target, plain("update_key"));
    assert_eq!(contents(server), (k + done, rows));
    let done = drive_some(target, plain("insert"));
    assert_eq!(contents(server).1, rows + done);
    let (_, rows) = contents(server);
    let commits = server.status("Com_commit");
    let done = drive_some(target, plain("write_only"));
    assert_eq!(contents(server).1, rows);
    assert_eq!(server.status("Com_commit"), commits + done);
    drop_database(target).unwrap();
}

fn assert_a_file_is_counted(server: &Server, target: &Target) {
    let requests = of_file(FILE, &WorkloadOptions::default());
    load_requests(target, requests.clone());
    let entries =
        |of: &str| server.query::<u64>(&format!("SELECT COUNT(*) FROM logtrace.entry WHERE {of}"))[0];
    assert_eq!(entries("CHAR_LENGTH(note) = 12"), 20);
    let done = drive_some(target, requests);
    let twice = entries("note = 'two'");
    assert_eq!(entries("note = 'one'"), twice);
    assert_eq!(twice + entries("note = 'three'"), done);
    drop_database(target).unwrap();
    let left = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'logtrace'";
    assert_eq!(server.query::<u64>(left), [0]);
}

fn load_requests(target: &Target, requests: Requests) {
    try_load(target, requests).unwrap();
}

fn try_load(target: &Target, requests: Requests) -> Result<Loaded, DriveError> {
    let config = LoadConfig {
        target: target.clone(),
        requests,
        dataset: DATASET,
        create_database: true,
        connections: NonZeroUsize::new(2).unwrap(),
        session: Vec::new(),
        globals: Vec::new(),
    };
    load(&config, &mut |_| {})
}

/// Global variables that change what the statements of a session do, each with a value.
fn unusual(flavor: Flavor) -> Vec<(&'static str, &'static str)> {
    let mut unusual = vec![
        ("autocommit", "0"),
        (
            "sql_mode",
            "'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,NO_AUTO_VALUE_ON_ZERO'",
        ),
        ("sql_mode", "''"),
        ("sql_select_limit", "1"),
        ("sql_select_limit", "0"),
        ("completion_type", "'CHAIN'"),
        ("completion_type", "'RELEASE'"),
        ("auto_increment_increment", "7"),
        ("sql_safe_updates", "1"),
        ("unique_checks", "0"),
        ("foreign_key_checks", "0"),
        ("max_join_size", "1"),
        ("time_zone", "'+05:00'"),
        ("lc_messages", "'de_DE'"),
    ];
    unusual.extend(match flavor {
        Flavor::Mysql => [("transaction_read_only", "1"), ("sql_mode", "'ANSI'")],
        Flavor::Mariadb => [("tx_read_only", "1"), ("sql_mode", "'ORACLE'")],
    });
    unusual
}

/// All global variables but those that count or tell the time.
fn globals(server: &Server) -> Vec<(String, String)> {
    let mut globals: Vec<(String, String)> = server.query("SHOW GLOBAL VARIABLES");
    globals.retain(|(name, _)| !name.starts_with("gtid") && name != "innodb_buffer_pool_load_status");
    globals
}

/// Whether applications of such a server could not run the file either: its statements keep the server's rules.
fn refuses_the_file((name, value): (&str, &str)) -> bool {
    name.ends_with("read_only") || value.contains("NO_BACKSLASH_ESCAPES")
}

/// Sets a global variable for the time of `work`.
fn with_global(server: &Server, (name, value): (&str, &str), work: impl FnOnce()) {
    let before: Vec<String> = server.query(&format!("SELECT CAST(@@GLOBAL.{name} AS CHAR)"));
    server.run(&format!("SET GLOBAL {name} = {value}"));
    let set = globals(server);
    work();
    assert_eq!(globals(server), set, "the server's globals are its own");
    let is_number = before[0].parse::<u64>().is_ok();
    let quote = if is_number { "" } else { "'" };
    server.run(&format!("SET GLOBAL {name} = {quote}{}{quote}", before[0]));
}

#[test]
fn rows_and_counts_are_right_whatever_the_globals_are() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        for global in unusual(flavor) {
            println!("{flavor:?} {global:?}");
            with_global(&server, global, || {
                assert_all_is_counted(&server, &target);
                if !refuses_the_file(global) {
                    assert_a_file_is_counted(&server, &target);
                }
            });
        }
    }
}

#[test]
fn what_the_server_does_at_a_login_is_undone() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        server.run("CREATE USER app@localhost");
        server.run("GRANT ALL ON logtrace.* TO app@localhost");
        server.run(
            "SET GLOBAL init_connect = \"SET SESSION autocommit = 0, sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES', \
             sql_select_limit = 1, completion_type = 1, auto_increment_increment = 3\"",
        );
        let mut target = server.target("logtrace");
        target.connection.user = "app".into();
        let set = globals(&server);
        assert_all_is_counted(&server, &target);
        assert_eq!(globals(&server), set, "{flavor:?}");
    }
}

/// A proxy that does not know a variable may keep a session that sets it on one server, whatever its rules are.
#[test]
fn sessions_set_only_what_differs() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &["--general-log=ON"]);
        let target = server.target("logtrace");
        let requests = of_file(FILE, &WorkloadOptions::default());
        load_requests(&target, requests.clone());
        let loaded = server.general_log().len();
        drive_some(&target, requests);
        let log = server.general_log();
        assert!(
            log[loaded..].contains("SELECT 1, @@autocommit, @@completion_type"),
            "{log}"
        );
        assert!(
            !log[loaded..].contains("SET SESSION"),
            "{flavor:?}: {}",
            &log[loaded..]
        );
        // Those of the test set what they rely on themselves.
        let of_logtrace = log
            .lines()
            .filter(|line| !line.contains("SET SESSION autocommit = 1, sql_big_selects"));
        let set = of_logtrace.filter(|line| line.contains("completion_type ="));
        assert_eq!(set.collect::<Vec<_>>(), Vec::<&str>::new(), "{flavor:?}");
        server.run("SET GLOBAL completion_type = 'CHAIN'");
        // Its keys would be there twice.
        load_requests(&target, of_file(FILE, &WorkloadOptions::default()));
        drive_some(&target, of_file(FILE, &WorkloadOptions::default()));
        assert!(
            server.general_log().contains("SET SESSION completion_type = 0\n"),
            "{flavor:?}"
        );
    }
}

#[test]
fn text_needs_no_prepared_statement() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &["--max-prepared-stmt-count=0"]);
        let target = server.target("logtrace");
        let prepared = server.status("Com_stmt_prepare");
        let options = WorkloadOptions {
            protocol: Some(Protocol::Text),
            ..WorkloadOptions::default()
        };
        let update_key = WorkloadInfo::find("update_key").unwrap();
        for requests in [
            Requests::new(update_key, &options).unwrap(),
            of_file(FILE, &options),
        ] {
            // The second load finds the tables of the first.
            load_requests(&target, requests.clone());
            load_requests(&target, requests.clone());
            drive_some(&target, requests);
            drop_database(&target).unwrap();
        }
        assert_eq!(server.status("Com_stmt_prepare"), prepared, "{flavor:?}");
    }
}

#[test]
fn a_variable_that_the_user_set_takes_effect() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &["--autocommit=0"]);
        let target = server.target("logtrace");
        load_dataset(&target, DATASET);
        let before = contents(&server);
        let drive = |globals: &[&str], session: &[&str]| {
            let (pace, length) = (uniform(400.0), Duration::from_millis(100));
            let mut config = config(target.clone(), "insert", pace, length);
            config.globals = globals.iter().map(|text| text.parse().unwrap()).collect();
            config.session = session.iter().map(|text| text.parse().unwrap()).collect();
            assert_eq!(drive_to_end(&config).done, 40);
        };
        drive(&["autocommit=0"], &[]);
        drive(&[], &["autocommit=0"]);
        assert_eq!(contents(&server), before, "{flavor:?}: nothing was committed");
        drive(&["sync_binlog=1"], &[]);
        assert_eq!(contents(&server).1, before.1 + 40, "{flavor:?}");
    }
}

#[test]
fn rows_that_are_not_those_of_the_load_are_an_error() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let file = FILE.replace(
            "PRIMARY KEY (id, note))",
            "PRIMARY KEY (id, note)) SELECT 0 AS id, 'x' AS note",
        );
        let loaded = try_load(
            &server.target("logtrace"),
            of_file(&file, &WorkloadOptions::default()),
        );
        let error = loaded.unwrap_err().to_string();
        assert!(
            error.contains("the table entry has 21 rows after the load, which inserted 20"),
            "{flavor:?}: {error}"
        );
    }
}
