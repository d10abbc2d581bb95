//! Advice on real servers: what it names is there, and otherwise than it advises.

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;

use crate::common::{Running, beside_others, run};

/// Setting that a report names: the variable, the value that it advises if that is one, and the value that it says it has.
#[derive(Debug)]
struct Named {
    variable: String,
    advised: Option<String>,
    now: String,
}

/// Returns the pieces of advice of a run on a server, each in one line.
fn advice(foreign: &Foreign) -> Vec<String> {
    let ran = run(&format!(
        "--server {} --workload update_key --max --connections 4 --tables 1 --rows 1000 --duration 1500ms --warmup 300ms",
        foreign.address("root")
    ));
    ran.good();
    let report = ran.report("markdown");
    let (_, after) = report.split_once("what to change, and how much of the").unwrap();
    let lines = after.lines().skip(1).filter(|line| !line.is_empty());
    lines
        .take_while(|line| line.starts_with("- "))
        .map(|line| line.replace('\\', ""))
        .collect()
}

fn named(advice: &str) -> Option<Named> {
    let (change, rest) = advice.strip_prefix("- ")?.split_once(" (now ")?;
    let (now, _) = rest.split_once("):")?;
    let (variable, advised) = match change.strip_prefix("a larger ") {
        Some(variable) => (variable, None),
        None => {
            let (variable, advised) = change.split_once('=')?;
            (variable, Some(advised.to_owned()))
        }
    };
    Some(Named {
        variable: variable.to_owned(),
        advised,
        now: now.to_owned(),
    })
}

/// Checks what a report names against the server.
fn assert_true(foreign: &Foreign, advice: &[String]) {
    for named in advice.iter().filter_map(|advice| named(advice)) {
        let asked = format!("SHOW GLOBAL VARIABLES LIKE '{}'", named.variable);
        let rows: Vec<(String, String)> = foreign.ask_all(&asked);
        let (_, value) = rows.first().unwrap_or_else(|| panic!("{named:?} is not there"));
        assert_ne!(named.advised.as_ref(), Some(value), "{named:?}");
        if named.advised.is_some() && !named.now.contains("iB") {
            assert_eq!(&named.now, value, "{named:?}");
        }
    }
}

#[test]
fn advice_names_settings_that_the_server_has_otherwise() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let set = |sync: u32, flush: u32| {
            foreign.tell(&format!("SET GLOBAL sync_binlog = {sync}"));
            foreign.tell(&format!("SET GLOBAL innodb_flush_log_at_trx_commit = {flush}"));
        };
        set(1, 1);
        let durable = advice(&foreign);
        assert!((1..=3).contains(&durable.len()), "{durable:#?}");
        assert_true(&foreign, &durable);
        let variables: Vec<Named> = durable.iter().filter_map(|advice| named(advice)).collect();
        let syncs = ["sync_binlog", "innodb_flush_log_at_trx_commit"];
        let is_sync = |named: &Named| syncs.contains(&named.variable.as_str());
        assert!(variables.iter().any(is_sync), "{flavor}: {durable:#?}");
        set(100, 2);
        let loose = advice(&foreign);
        assert_true(&foreign, &loose);
        let mut variables = loose.iter().filter_map(|advice| named(advice));
        assert!(!variables.any(|named| is_sync(&named)), "{flavor}: {loose:#?}");
    }
}

#[test]
fn what_is_read_without_a_login_is_what_the_server_says() {
    let _turn = beside_others();
    for (flavor, known) in [
        (Flavor::MySql, "innodb_log_writer_threads"),
        (Flavor::MariaDb, "binlog_commit_wait_count"),
    ] {
        let foreign = Foreign::start(flavor);
        let ran = Running::start(&format!("trace --pid {} --duration 500ms", foreign.pid())).ended();
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let settings = ran.document().server.settings;
        assert!(settings.contains_key(known), "{flavor}: {settings:?}");
        for (variable, read) in settings {
            let rows: Vec<(String, String)> =
                foreign.ask_all(&format!("SHOW GLOBAL VARIABLES LIKE '{variable}'"));
            assert_eq!(rows, [(variable.clone(), read)], "{flavor}");
        }
    }
}
