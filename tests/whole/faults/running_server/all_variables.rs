//! All global variables of a server, before and after.

use std::collections::BTreeMap;

use logtrace_laboratory::foreign::Foreign;
use mysql_async::prelude::Queryable;

/// What each statement that is written to the binary log changes.
const POSITIONS: [&str; 6] = [
    "gtid_binlog_pos",
    "gtid_binlog_state",
    "gtid_current_pos",
    "gtid_executed",
    "gtid_slave_pos",
    "gtid_purged",
];

/// The global variables of a server, whatever its limits are.
pub(super) fn all_variables(foreign: &Foreign) -> BTreeMap<String, String> {
    let rows: Vec<(String, String)> = foreign.with(async |mut conn| {
        let unlimited = "SET SESSION sql_select_limit = 18446744073709551615";
        conn.query_drop(unlimited).await.unwrap();
        let rows = conn.query("SHOW GLOBAL VARIABLES").await.unwrap();
        conn.disconnect().await.unwrap();
        rows
    });
    let mut variables: BTreeMap<_, _> = rows.into_iter().collect();
    assert!(variables.len() > 500 && variables.contains_key("version"));
    variables.retain(|name, _| !POSITIONS.contains(&name.as_str()));
    variables
}

/// Fails with the variables that differ.
pub(super) fn assert_same(before: &BTreeMap<String, String>, foreign: &Foreign, when: &str) {
    let after = all_variables(foreign);
    let names = before.keys().chain(after.keys());
    let differing: BTreeMap<_, _> = names
        .filter(|name| before.get(*name) != after.get(*name))
        .map(|name| (name, (before.get(name), after.get(name))))
        .collect();
    assert!(differing.is_empty(), "{when}: {differing:?}");
}
