//! A running server whose defaults for sessions are unusual: a run on it is sound, and they stay.

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;

use crate::common::{beside_others, driver, workload as chosen};
use crate::faults::fixture::home::{Home, SHORT};

/// Globals that the sessions of a run must not depend on.
const UNUSUAL: [&str; 4] = [
    "autocommit = 0",
    "sql_select_limit = 3",
    "completion_type = 'RELEASE'",
    "max_join_size = 1",
];

#[test]
fn a_run_does_not_depend_on_the_servers_defaults_and_leaves_them() {
    let _turn = beside_others();
    for (flavor, mode) in [(Flavor::MySql, "'ANSI'"), (Flavor::MariaDb, "'ORACLE'")] {
        let foreign = Foreign::start(flavor);
        for global in UNUSUAL {
            foreign.tell(&format!("SET GLOBAL {global}"));
        }
        foreign.tell(&format!("SET GLOBAL sql_mode = {mode}"));
        let globals = || -> (u8, u64, String, String) {
            foreign.ask(
                "SELECT @@GLOBAL.autocommit, @@GLOBAL.sql_select_limit, @@GLOBAL.completion_type, @@GLOBAL.sql_mode",
            )
        };
        let before = globals();
        let server = foreign.address("root");
        for workload in ["update_key", "write_only"] {
            let home = Home::new();
            let document = home
                .run(&format!("--server {server} --workload {workload} {SHORT}"))
                .measured();
            let done = driver(&document).done;
            let commits = document.commits.as_ref().unwrap().count;
            let edges = 2 * u64::from(chosen(&document).connections);
            assert!(
                done > 50 && commits.abs_diff(done) <= edges,
                "{flavor} {workload}: {commits} commits of {done} requests"
            );
            assert_eq!(document.server.flavor, flavor);
            assert!(!document.server.version.is_empty(), "{flavor}");
            home.assert_nothing_left();
        }
        assert_eq!(globals(), before, "{flavor}");
    }
}
