//! The experiments.

mod commits;
mod cpu;
mod disks;
mod fsyncs;
mod locks;
mod memory;
mod redo_space;

use std::time::Duration;

use logtrace_common::Flavor;

use crate::comparison::Amount;
use crate::experiment::{Change, Experiment};
use crate::foreign::Foreign;
use crate::load::{Load, Statements};

/// Returns all experiments, in the order of the table.
pub fn all() -> Vec<Experiment> {
    [
        fsyncs::EXPERIMENTS,
        disks::EXPERIMENTS,
        cpu::EXPERIMENTS,
        locks::EXPERIMENTS,
        commits::EXPERIMENTS,
        redo_space::EXPERIMENTS,
        memory::EXPERIMENTS,
    ]
    .concat()
}

/// Rows of the table that [`UPDATE`] changes.
const ROWS: u32 = 100;

/// Load of one connection that updates one row after the other.
const UPDATE: Statements = Statements {
    text: "UPDATE d.t SET v = v + 1 WHERE id = 1 + {n} % 100",
    connections: 1,
    pause: Duration::from_millis(5),
};

/// Makes the tables: `t` for [`UPDATE`], and `b` for large rows.
fn make_tables(server: &Foreign) {
    server.tell("CREATE DATABASE d");
    server.tell("CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
    server.tell("CREATE TABLE d.b (id INT PRIMARY KEY AUTO_INCREMENT, v LONGBLOB)");
    let rows: Vec<String> = (1..=ROWS).map(|id| format!("({id}, 0)")).collect();
    server.tell(&format!("INSERT INTO d.t VALUES {}", rows.join(", ")));
}

/// Starts a load on a server with the tables.
fn start_load(server: &Foreign, statements: Statements) -> anyhow::Result<Load> {
    make_tables(server);
    Load::start(server.options(), statements)
}

/// Returns no change of the server before a window.
fn unchanged() -> Box<Change> {
    Box::new(|_, _| ())
}

/// Returns nothing put in, after the time has passed.
fn nothing(length: Duration) -> anyhow::Result<Amount> {
    std::thread::sleep(length);
    Ok(Amount::Known(0))
}

/// Returns whether the server is MySQL.
fn is_mysql(flavor: Flavor) -> bool {
    flavor == Flavor::MySql
}
