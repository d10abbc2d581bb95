//! A second signal while the settings of a running server are being made.

use mysql_async::prelude::Queryable;
use rustix::process::Signal;

use crate::common::beside_others;
use crate::faults::fixture::home::{Home, SHORT};
use crate::faults::fixture::started::Started;
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;

#[test]
fn what_was_set_before_a_second_signal_is_named() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        foreign.tell("CREATE DATABASE held");
        foreign.tell("CREATE TABLE held.t (id INT)");
        // SET GLOBAL read_only = ON waits for the end of this lock.
        let holder = foreign.with(async |mut conn| {
            conn.query_drop("LOCK TABLES held.t WRITE").await.unwrap();
            conn
        });
        let home = Home::new();
        let set = "--set sync_binlog=0 --set read_only=ON";
        let run = home.start(&format!("--server {} {set} {SHORT}", foreign.address("root")));
        run.waiting_for("the first setting", || {
            foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog") == 0
        });
        // Two kinds: of two of one kind, the kernel may make one.
        run.signal(Signal::INT);
        run.signal(Signal::TERM);
        let words = [
            "stopped at once",
            "SET GLOBAL sync_binlog = 1;",
            "SET GLOBAL read_only = ",
            "`logtrace doctor --clean`",
        ];
        run.ended().refused(1, &words);
        foreign.with(async |_| holder.disconnect().await.unwrap());
        let cleaned = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
        assert_eq!(cleaned.code, Some(0), "{flavor}: {}", cleaned.stdout);
        let settings: (u32, u32) = foreign.ask("SELECT @@GLOBAL.sync_binlog, @@GLOBAL.read_only");
        assert_eq!(settings, (1, 0), "{flavor}");
    }
}
