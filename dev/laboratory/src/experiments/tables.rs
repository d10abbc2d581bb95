//! Tables of the experiments, and the load that most of them use.

use std::time::Duration;

use crate::foreign::Foreign;
use crate::load::{LoadStatements, StatementLoad};

/// Rows of the table that [`UPDATE`] changes.
const ROWS: u32 = 100;

/// Load of one connection that updates one row after the other.
pub(super) const UPDATE: LoadStatements = LoadStatements {
    text: "UPDATE d.t SET v = v + 1 WHERE id = 1 + {n} % 100",
    connections: 1,
    pause: Duration::from_millis(5),
};

/// Makes the tables: `t` for [`UPDATE`], and `b` for large rows.
pub(super) fn make_tables(server: &Foreign) {
    server.tell("CREATE DATABASE d");
    server.tell("CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
    server.tell("CREATE TABLE d.b (id INT PRIMARY KEY AUTO_INCREMENT, v LONGBLOB)");
    let rows: Vec<String> = (1..=ROWS).map(|id| format!("({id}, 0)")).collect();
    server.tell(&format!("INSERT INTO d.t VALUES {}", rows.join(", ")));
}

/// Starts a load on a server with the tables.
pub(super) fn start_load(server: &Foreign, statements: LoadStatements) -> anyhow::Result<StatementLoad> {
    make_tables(server);
    StatementLoad::start(server.options(), statements)
}
