//! The SQL of sysbench's tables, and the marker that says that a database is logtrace's own.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::workloads::request_values::Draw;
use crate::workloads::tpcc;

/// The table that marks a database as logtrace's own: only such a database is ever changed or dropped.
pub(crate) const MARKER: &str = "logtrace_marker";

/// Longest statement that the load sends, in bytes (sysbench's `BULK_PACKET_SIZE`).
pub(crate) const LONGEST_INSERT: usize = 512 * 1024;

/// Whose a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// There is no such database.
    Nobody,
    /// It holds the marker.
    Logtrace,
    /// It does not.
    Somebody,
}

/// Finds out whose a database is.
pub(crate) async fn owner(conn: &mut Conn, database: &str) -> mysql_async::Result<Owner> {
    let named = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?";
    let marked = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?";
    let databases: Option<u64> = conn.exec_first(named, (database,)).await?;
    let markers: Option<u64> = conn.exec_first(marked, (database, MARKER)).await?;
    Ok(match (databases, markers) {
        (None | Some(0), _) => Owner::Nobody,
        (_, None | Some(0)) => Owner::Somebody,
        _ => Owner::Logtrace,
    })
}

/// Creates a database and marks it.
pub(crate) async fn create_database(conn: &mut Conn, database: &str) -> mysql_async::Result<()> {
    let name = quoted(database);
    conn.query_drop(format!("CREATE DATABASE {name}")).await?;
    conn.query_drop(format!("CREATE TABLE {name}.{MARKER} (id INT PRIMARY KEY)"))
        .await
}

/// Names of the tables in a database that a workload made, whatever their number.
pub(crate) async fn workload_tables(conn: &mut Conn, database: &str) -> mysql_async::Result<Vec<String>> {
    let sql =
        "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_name REGEXP ?";
    let of_tpcc = tpcc::TABLES.join("|");
    conn.exec(sql, (database, format!("^(sbtest[0-9]+|{of_tpcc})$")))
        .await
}

/// A name as the server takes it in a statement.
pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// The statement that creates a table, as sysbench 1.0 does.
pub(crate) fn create_table(table: u32) -> String {
    format!(
        "CREATE TABLE sbtest{table}(\
         id INTEGER NOT NULL AUTO_INCREMENT, \
         k INTEGER DEFAULT '0' NOT NULL, \
         c CHAR(120) DEFAULT '' NOT NULL, \
         pad CHAR(60) DEFAULT '' NOT NULL, \
         PRIMARY KEY (id)) /*! ENGINE = innodb */"
    )
}

/// The statement that creates a table's secondary index, after the load.
pub(crate) fn create_index(table: u32) -> String {
    format!("CREATE INDEX k_{table} ON sbtest{table}(k)")
}

/// The statements that fill a table, each with the number of its rows.
#[derive(Debug)]
pub(crate) struct Inserts {
    table: u32,
    rows_left: u32,
    draw: Draw,
}

impl Inserts {
    pub(crate) fn new(table: u32, rows: u32, draw: Draw) -> Self {
        Self {
            table,
            rows_left: rows,
            draw,
        }
    }

    fn row(&mut self) -> String {
        let k = self.draw.key();
        let (c, pad) = (self.draw.c(), self.draw.pad());
        format!("({k}, '{c}', '{pad}')")
    }
}

/// Longest row of an insert: a key of ten digits, both texts, quotes and punctuation.
const LONGEST_ROW: usize = 10 + 119 + 59 + 12;

impl Iterator for Inserts {
    type Item = (String, u32);

    fn next(&mut self) -> Option<(String, u32)> {
        if self.rows_left == 0 {
            return None;
        }
        let mut sql = format!("INSERT INTO sbtest{}(k, c, pad) VALUES", self.table);
        let mut rows = 0;
        while self.rows_left > 0 && sql.len() + LONGEST_ROW <= LONGEST_INSERT {
            if rows > 0 {
                sql.push(',');
            }
            sql.push_str(&self.row());
            rows += 1;
            self.rows_left -= 1;
        }
        Some((sql, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::random::Stream;
    use crate::workloads::dataset::Dataset;
    use crate::workloads::keys::distribution::Keys;

    fn inserts(rows: u32) -> Inserts {
        let dataset = Dataset {
            tables: 1,
            rows,
            keys: Keys::SPECIAL,
            seed: 5,
        };
        Inserts::new(7, rows, Draw::from_rng(dataset, Stream::Load(7).rng(5)))
    }

    #[test]
    fn inserts_hold_every_row_and_no_statement_is_too_long() {
        let statements: Vec<(String, u32)> = inserts(10_000).collect();
        assert_eq!(statements.iter().map(|(_, rows)| rows).sum::<u32>(), 10_000);
        for (sql, rows) in &statements {
            assert!(sql.starts_with("INSERT INTO sbtest7(k, c, pad) VALUES("));
            assert_eq!(
                sql.matches("('").count() + sql.matches("(").count() - 1,
                *rows as usize
            );
            assert!(sql.len() <= LONGEST_INSERT);
        }
        let full = &statements[..statements.len() - 1];
        assert!(
            full.iter()
                .all(|(sql, _)| sql.len() + 2 * LONGEST_ROW > LONGEST_INSERT)
        );
    }

    #[test]
    fn content_comes_from_the_seed() {
        assert!(inserts(100).eq(inserts(100)));
    }

    #[test]
    fn a_name_cannot_end_its_quotes() {
        assert_eq!(quoted("a`; DROP TABLE b"), "`a``; DROP TABLE b`");
    }
}
