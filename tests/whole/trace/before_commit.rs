//! Statements that wait for a lock before they commit, in a trace of a server under a load of its own.

use std::time::Duration;

use logtrace_attribution::cause::Wait;
use logtrace_common::{Flavor, units};
use logtrace_laboratory::foreign::Foreign;
use logtrace_laboratory::load::thread_of;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::common::{Running, beside_others};

/// Time for which a session holds a row lock while its client is idle.
const HELD: Duration = Duration::from_secs(3);

/// A trace with the default detail. Some commits come before and after the wait.
#[test]
fn the_first_sentence_names_who_held_a_row_lock_and_how_long_its_client_was_idle() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let server = Foreign::start(flavor);
        server.tell("CREATE DATABASE d");
        server.tell("CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
        server.tell("INSERT INTO d.t VALUES (1, 0), (2, 0)");
        let running = Running::start(&format!("trace {} --duration 12s", server.address("root")));
        server.wait_until_traced();
        let (thread, session) = server.with(async |mut writer| {
            let mut holder = Conn::new(writer.opts().clone()).await.unwrap();
            let thread = thread_of(&mut holder).await;
            let change = |id: u32| format!("UPDATE d.t SET v = v + 1 WHERE id = {id}");
            for _ in 0..20 {
                writer.query_drop(change(2)).await.unwrap();
            }
            holder.query_drop("BEGIN").await.unwrap();
            holder.query_drop(change(1)).await.unwrap();
            let release = async {
                tokio::time::sleep(HELD).await;
                holder.query_drop("COMMIT").await.unwrap();
            };
            let (waited, ()) = tokio::join!(writer.query_drop(change(1)), release);
            waited.unwrap();
            for _ in 0..20 {
                writer.query_drop(change(2)).await.unwrap();
            }
            (thread, holder)
        });
        running.interrupt();
        let ran = running.ended();
        let document = ran.document();
        let of = document.stages.as_ref().unwrap();
        let row = &of.waits[0];
        assert_eq!(row.cause.wait, Wait::RowLock, "{flavor}: {of:?}");
        let holder = &row.held_by[0];
        assert_eq!(Some(holder.tid), thread, "{flavor}: {of:?}");
        for ns in [row.longest, holder.held, holder.idle] {
            let ratio = Duration::from_nanos(ns).as_secs_f64() / HELD.as_secs_f64();
            assert!((0.9..1.1).contains(&ratio), "{flavor}: {of:?}");
        }
        let text = ran.stdout().split_whitespace().collect::<Vec<_>>().join(" ");
        let (before, _) = text.split_once("A commit takes").unwrap();
        // MariaDB's list of processes has no statements that have ended.
        let statement = match flavor {
            Flavor::MySql => " (UPDATE `d` . `t` SET `v` = `v` + ? WHERE `id` = ?)",
            Flavor::MariaDb => "",
        };
        let named = format!(
            "row lock, held by connection {}, root@localhost{statement} for {}, whose client was idle for {}.",
            session.id(),
            units::duration(holder.held),
            units::duration(holder.idle)
        );
        assert!(before.contains(&named), "{flavor}: {named}\n{text}");
    }
}
