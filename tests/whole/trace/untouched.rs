//! A server is as it was after it was traced.

use std::fs;

use crate::common::{Ran, Running, beside_others, caveats};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::CaveatKind;
use serde_json::Value;

#[test]
fn an_idle_server_commits_nothing_and_is_not_changed() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let before = state(&foreign);
        let (address, pid) = (foreign.address("root"), foreign.pid());
        for way in [format!("--pid {pid}"), address] {
            let ran = Running::start(&format!("trace {way} --duration 1s")).ended();
            let document = ran.document();
            assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
            assert_eq!(caveats(&document), [&CaveatKind::NoCommits], "{way}");
            assert_eq!(document.commits.as_ref().unwrap().per_second, [0], "{way}");
            assert!((document.trace.as_ref().unwrap().duration_s - 1.0).abs() < 1e-9);
            // Interrupts and progress apart, it has nothing to say without a terminal.
            assert_eq!(ran.stderr(), "");
        }
        let after = state(&foreign);
        let changed: Vec<_> = before.iter().zip(&after).filter(|(a, b)| a != b).collect();
        assert!(
            before.len() == after.len() && changed.is_empty(),
            "{flavor}: {changed:?}"
        );
        assert_eq!(foreign.changed_code_bytes(), 0);
    }
}

#[test]
fn the_counters_of_a_trace_have_no_login_of_its_own() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let changes = |ran: &Ran| -> Value {
            assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
            let server = fs::read(ran.file("server.json")).unwrap();
            let server: Value = serde_json::from_slice(&server).unwrap();
            server["status_delta"].clone()
        };
        let address = foreign.address("root");
        let seen = changes(&Running::start(&format!("trace {address} --duration 1s")).ended());
        for name in ["Com_set_option", "Com_select", "Connections"] {
            assert_eq!(seen[name], 0, "{flavor}: {name}");
        }
        // By another login, if the server ended the one at the start.
        let tracing = Running::start(&format!("trace {address}"));
        foreign.wait_until_traced();
        let others =
            "SELECT id FROM information_schema.processlist WHERE user = 'root' AND id <> CONNECTION_ID()";
        foreign.tell(&format!("KILL {}", foreign.ask::<u64>(others)));
        tracing.interrupt();
        assert!(
            changes(&tracing.ended())["Connections"].as_u64() > Some(0),
            "{flavor}"
        );
    }
}

/// Variables, databases, accounts, and what the server had to change.
fn state(foreign: &Foreign) -> Vec<(String, String)> {
    [
        "SHOW GLOBAL VARIABLES WHERE variable_name <> 'timestamp'",
        "SELECT schema_name, default_character_set_name FROM information_schema.schemata",
        "SELECT user, host FROM mysql.user",
        "SHOW GLOBAL STATUS WHERE variable_name = 'Aborted_clients'",
    ]
    .into_iter()
    .flat_map(|statement| foreign.ask_all(statement))
    .collect()
}
