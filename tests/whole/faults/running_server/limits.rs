//! Servers whose limits leave little room for the statements of a run.

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;

use super::all_variables::{all_variables, assert_same};
use crate::common::beside_others;
use crate::faults::fixture::home::{Home, LONG, SHORT, entries};
use crate::faults::fixture::started::Started;
use rustix::process::Signal;

#[test]
fn a_server_that_cuts_answers_off_is_set_and_given_back() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        for limit in [5, 1, 0, 600] {
            foreign.tell(&format!("SET GLOBAL sql_select_limit = {limit}"));
            let before = all_variables(&foreign);
            let home = Home::new();
            let server = foreign.address("root");
            let ended = home.run(&format!(
                "--server {server} --set sync_binlog=0 --no-trace {SHORT}"
            ));
            let when = format!("{flavor}, {limit} rows: {}", ended.stderr);
            assert_same(&before, &foreign, &when);
            assert_eq!(entries(&home.path().join("notes")).len(), 0, "{when}");
            let document = ended.measured();
            assert_eq!(document.server.settings["sync_binlog"], "0", "{when}");
            assert_eq!(document.server.flavor, flavor, "{when}");
            assert_eq!(
                document.server.version,
                before["version"].split('-').next().unwrap()
            );
        }
    }
}

#[test]
fn a_server_without_room_for_prepared_statements_names_the_holder_and_is_given_back() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let home = Home::new();
        let server = foreign.address("root");
        let set = "--set sync_binlog=0 --keep-tables --no-trace";
        let run = home.start(&format!("--server {server} {set} {LONG}")).measuring();
        foreign.tell("SET GLOBAL max_prepared_stmt_count = 0");
        let second = Home::new().run(&format!("--server {server} {set} {SHORT}"));
        second.refused(1, &["another logtrace", "user root from localhost"]);
        run.signal(Signal::KILL);
        run.ended();
        let cleaned = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
        assert_eq!(cleaned.code, Some(0), "{}", cleaned.stdout);
        assert_eq!(foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog"), 1);
        assert_eq!(entries(&home.path().join("notes")).len(), 0);
    }
}
