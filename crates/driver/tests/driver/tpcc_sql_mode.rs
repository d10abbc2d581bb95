//! The `sql_mode` of the TPC-C-like workload's stored procedures.

use crate::common::drives::drive_to_end;
use crate::common::server::{FLAVORS, Flavor, Server};
use crate::tpcc::{assert_consistent, driven, load_config, warehouses};
use logtrace_driver::{Compat, LoadConfig, Pace, WorkloadOptions, load};
use logtrace_testkit::one_or_all;

/// Stored procedures keep the `sql_mode` that was set for the drive. One in which they cannot be read is refused.
#[test]
fn procedures_have_the_sql_mode_that_was_set() {
    for &flavor in one_or_all(&FLAVORS) {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        let options = WorkloadOptions {
            compat: Some(Compat::Dbt2),
            ..warehouses(1)
        };
        let load_with = |mode: &str| {
            let config = LoadConfig {
                session: vec![mode.parse().unwrap()],
                ..load_config(&target, &options)
            };
            load(&config, &mut |_| {})
        };
        load_with("sql_mode=ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE").unwrap();
        let modes: Vec<String> = server.query(
            "SELECT DISTINCT sql_mode FROM information_schema.routines WHERE routine_schema = 'logtrace'",
        );
        assert!(
            modes.len() == 1 && modes[0].contains("ANSI_QUOTES") && !modes[0].contains("STRICT"),
            "{modes:?}"
        );
        let measured = drive_to_end(&driven(&target, Pace::Closed, &options));
        assert!(measured.errors.is_empty(), "{:?}", measured.errors);
        assert_consistent(&target, 1);
        if flavor == Flavor::Mariadb {
            let error = load_with("sql_mode=ORACLE").unwrap_err().to_string();
            assert!(
                error.contains("cannot create the stored procedures with sql_mode=ORACLE"),
                "{error}"
            );
        }
    }
}
