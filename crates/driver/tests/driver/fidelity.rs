//! The server does what the driver says, as often as it says, and the tables are what they should be.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::common::drives::{DATASET, config, drive_to_end, load_dataset, plain, uniform};
use crate::common::server::{FLAVORS, Server};
use logtrace_driver::{
    Dataset, DriveError, LoadConfig, LoadProgress, Loaded, Pace, Target, capacity, drop_database, load,
};

/// A load that is over at once.
const SMALL: Dataset = Dataset {
    tables: 1,
    rows: 9,
    ..DATASET
};

/// What each request adds to the tables: to the sum of `k`, and to the number of rows.
fn contents(server: &Server) -> (u64, u64) {
    let sums: Vec<(u64, u64)> = (1..=DATASET.tables)
        .flat_map(|table| server.query(&format!("SELECT SUM(k), COUNT(*) FROM logtrace.sbtest{table}")))
        .collect();
    (
        sums.iter().map(|(k, _)| k).sum(),
        sums.iter().map(|(_, rows)| rows).sum(),
    )
}

/// All of 400 requests are done.
fn drive_400(target: &Target, workload: &str) -> u64 {
    let config = config(target.clone(), workload, uniform(400.0), Duration::from_secs(1));
    let measured = drive_to_end(&config);
    assert_eq!((measured.requests, measured.done), (400, 400), "{workload}");
    measured.done
}

#[test]
fn the_server_executed_what_the_driver_counts() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        load_dataset(&target, DATASET);
        let drive = |workload| drive_400(&target, workload);

        let ((k, rows), updates) = (contents(&server), server.status("Com_update"));
        let done = drive("update_key");
        assert_eq!(
            contents(&server),
            (k + done, rows),
            "every update changed one row"
        );
        assert_eq!(server.status("Com_update"), updates + done);

        let ((k, rows), commits) = (contents(&server), server.status("Com_commit"));
        let done = drive("write_only_10");
        assert_eq!(
            contents(&server),
            (k + 10 * done, rows),
            "each transaction is in whole, and once"
        );
        assert_eq!(server.status("Com_commit"), commits + done);

        let changed = server.status("Handler_update");
        let done = drive("update_nokey");
        assert_eq!(server.status("Handler_update"), changed + done);
    }
}

#[test]
fn rows_come_and_go_as_the_driver_counts_and_reads_change_none() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        load_dataset(&target, DATASET);
        let drive = |workload| drive_400(&target, workload);

        let (_, rows) = contents(&server);
        let done = drive("insert");
        assert_eq!(contents(&server).1, rows + done);

        let ((_, rows), commits) = (contents(&server), server.status("Com_commit"));
        let deleted = server.status("Handler_delete");
        let done = drive("write_only");
        assert_eq!(contents(&server).1, rows, "a row that is deleted comes back");
        assert_eq!(server.status("Com_commit"), commits + done);
        assert_eq!(server.status("Handler_delete"), deleted + done);

        let (read, before) = (server.status("Com_select"), contents(&server));
        let reads_of_contents = server.status("Com_select") - read;
        let read = server.status("Com_select");
        let done = drive("point_select");
        // Connecting reads two settings a connection, and asks for its thread three times at most.
        let connecting = server.status("Com_select") - read - done;
        assert!(
            connecting <= 5 * 8 + reads_of_contents,
            "{connecting} other reads"
        );
        let ranges = server.status("Com_select");
        let done = drive("read_only");
        assert!(server.status("Com_select") - ranges >= 14 * done);
        assert_eq!(contents(&server), before, "a read changes nothing");

        let (_, rows) = contents(&server);
        let deleted = server.status("Handler_delete");
        drive("delete");
        let gone = server.status("Handler_delete") - deleted;
        assert!(gone > 0);
        assert_eq!(contents(&server).1, rows - gone);
    }
}

#[test]
fn tables_have_the_rows_indexes_and_content_of_the_seed() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        // More rows than one INSERT of 512 KiB holds.
        let dataset = Dataset {
            tables: 3,
            rows: 6000,
            ..DATASET
        };
        let mut seen = Vec::new();
        let config = |database| LoadConfig {
            target: server.target(database),
            requests: plain("update_key"),
            dataset,
            create_database: true,
            connections: NonZeroUsize::new(2).unwrap(),
            session: Vec::new(),
            globals: Vec::new(),
        };
        load(&config("one"), &mut |progress| seen.push(progress)).unwrap();
        load(&config("two"), &mut |_| {}).unwrap();

        let total = dataset.total_rows();
        assert_eq!(seen.last(), Some(&LoadProgress { rows: total, total }));
        assert!(seen.len() > 3 && seen.is_sorted_by_key(|progress| progress.rows));
        for table in 1..=3 {
            let name = format!("sbtest{table}");
            let found: Vec<(u64, u64, u64)> =
                server.query(&format!("SELECT COUNT(*), MIN(id), MAX(id) FROM one.{name}"));
            assert_eq!(found, [(6000, 1, 6000)], "{flavor:?}");
            let indexes: Vec<String> = server.query(&format!(
                "SELECT index_name FROM information_schema.statistics WHERE table_schema = 'one' \
                 AND table_name = '{name}' ORDER BY index_name"
            ));
            assert_eq!(indexes, [format!("k_{table}"), "PRIMARY".into()]);
            let differ: Vec<u64> = server.query(&format!(
                "SELECT COUNT(*) FROM one.{name} a JOIN two.{name} b USING (id, k, c, pad)"
            ));
            assert_eq!(differ, [6000], "the same seed gives the same rows");
        }
    }
}

fn load_into(target: Target, create_database: bool) -> Result<Loaded, DriveError> {
    let config = LoadConfig {
        target,
        requests: plain("update_key"),
        dataset: SMALL,
        create_database,
        connections: NonZeroUsize::MIN,
        session: Vec::new(),
        globals: Vec::new(),
    };
    load(&config, &mut |_| {})
}

#[test]
fn a_database_that_is_not_ours_is_never_touched() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        server.run("CREATE DATABASE shop");
        server.run("CREATE TABLE shop.sbtest1 (precious INT)");
        server.run("INSERT INTO shop.sbtest1 VALUES (1), (2)");
        let shop = server.target("shop");
        for create in [false, true] {
            let refused = load_into(shop.clone(), create);
            assert!(matches!(refused, Err(DriveError::NotOurs(_))), "{refused:?}");
        }
        assert!(matches!(drop_database(&shop), Err(DriveError::NotOurs(_))));
        assert_eq!(server.query::<u64>("SELECT SUM(precious) FROM shop.sbtest1"), [3]);
        assert!(matches!(
            load_into(server.target("absent"), false),
            Err(DriveError::NoDatabase(_))
        ));
    }
}

#[test]
fn tables_of_an_earlier_load_are_reused_if_complete_and_equal() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("log`trace");
        let load = |dataset| {
            let config = LoadConfig {
                target: target.clone(),
                requests: plain("update_key"),
                dataset,
                create_database: true,
                connections: NonZeroUsize::MIN,
                session: Vec::new(),
                globals: Vec::new(),
            };
            load(&config, &mut |_| {}).unwrap()
        };
        assert_eq!(load(DATASET), Loaded::Anew);
        server.run("UPDATE `log``trace`.sbtest1 SET k = 7");
        assert_eq!(load(DATASET), Loaded::Before, "{flavor:?}");
        let sevens = "SELECT COUNT(*) FROM `log``trace`.sbtest1 WHERE k = 7";
        assert_eq!(server.query::<u64>(sevens), [1000], "nothing was loaded");

        let others = [
            Dataset { seed: 43, ..DATASET },
            Dataset { rows: 999, ..DATASET },
            Dataset { tables: 1, ..DATASET },
        ];
        for other in others {
            assert_eq!(load(other), Loaded::Anew, "{flavor:?} {other:?}");
        }
        for damage in [
            "DELETE FROM `log``trace`.sbtest2 WHERE id = 500",
            "INSERT INTO `log``trace`.sbtest1 (k) VALUES (1)",
            "DROP TABLE `log``trace`.sbtest2",
            "DELETE FROM `log``trace`.sbtest1",
            // What a load that was cut short leaves.
            "ALTER TABLE `log``trace`.logtrace_marker COMMENT = ''",
        ] {
            load(DATASET);
            server.run(damage);
            assert_eq!(load(DATASET), Loaded::Anew, "{flavor:?} {damage}");
        }
    }
}

#[test]
fn our_own_database_is_loaded_anew_and_dropped() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        // A name that must be quoted.
        let target = server.target("log`trace");
        load_dataset(&target, DATASET);
        load_into(target.clone(), false).unwrap();
        let tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'log`trace'";
        assert_eq!(server.query::<u64>(tables), [2], "one table and the marker");
        drop_database(&target).unwrap();
        assert_eq!(server.query::<u64>(tables), [0]);
        drop_database(&target).unwrap();
    }
}

#[test]
fn capacity_is_what_a_closed_loop_does() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        load_dataset(&target, DATASET);
        let mut config = config(target, "update_key", Pace::Closed, Duration::from_secs(1));
        config.warmup = Duration::from_millis(300);
        let updates = server.status("Com_update");
        let capacity = capacity(&config, logtrace_driver::CancellationToken::new()).unwrap();
        let done = (server.status("Com_update") - updates) as f64;
        println!("{flavor:?}: capacity {capacity:.0}/s, {done} updates in 1.3 s");
        assert!(capacity > 100.0 && capacity < done);
        assert!(capacity > done / 1.3 * 0.5, "{capacity}/s of {done} in 1.3 s");
    }
}
