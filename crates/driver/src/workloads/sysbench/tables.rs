//! SQL of sysbench's tables.

use std::iter::once;

use logtrace_common::random::Stream;

use crate::workloads::dataset::Dataset;
use crate::workloads::load_batch::{LoadBatch, inserts};
use crate::workloads::request_values::Draw;

/// Returns the load of one whole table.
pub(crate) fn load_batch(dataset: Dataset, table: u32) -> LoadBatch {
    let inserts = inserts(format!("sbtest{table}(id, k, c, pad)"), rows(dataset, table));
    // The secondary index is created after the load.
    let index = format!("CREATE INDEX k_{table} ON sbtest{table}(k)");
    let statements = once((create_table(table), 0))
        .chain(inserts)
        .chain(once((index, 0)));
    LoadBatch::new(format!("the table sbtest{table}"), statements)
}

/// Draws the rows of a table. sysbench leaves their ids to the server, where `auto_increment_increment` may leave gaps.
fn rows(dataset: Dataset, table: u32) -> impl Iterator<Item = String> {
    let mut draw = Draw::from_rng(dataset, Stream::Load(table).rng(dataset.seed));
    (1..=dataset.rows).map(move |id| format!("({id}, {}, '{}', '{}')", draw.key(), draw.c(), draw.pad()))
}

/// Returns the statement that creates a table, as in sysbench 1.0.
fn create_table(table: u32) -> String {
    format!(
        "CREATE TABLE sbtest{table}(\
         id INTEGER NOT NULL AUTO_INCREMENT, \
         k INTEGER DEFAULT '0' NOT NULL, \
         c CHAR(120) DEFAULT '' NOT NULL, \
         pad CHAR(60) DEFAULT '' NOT NULL, \
         PRIMARY KEY (id)) /*! ENGINE = innodb */"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::keys::Keys;
    use crate::workloads::load_batch::LONGEST_INSERT;

    fn statements(rows: u32) -> Vec<(String, u32)> {
        let dataset = Dataset {
            tables: 1,
            rows,
            keys: Keys::SPECIAL,
            seed: 5,
        };
        load_batch(dataset, 7).statements.collect()
    }

    #[test]
    fn inserts_have_every_row_and_no_statement_is_too_long() {
        let statements = statements(10_000);
        assert_eq!(statements.iter().map(|(_, rows)| rows).sum::<u32>(), 10_000);
        let [(create, 0), inserts @ .., (index, 0)] = &statements[..] else {
            panic!("{statements:?}");
        };
        assert!(create.starts_with("CREATE TABLE sbtest7(") && index == "CREATE INDEX k_7 ON sbtest7(k)");
        for (sql, rows) in inserts {
            assert!(sql.starts_with("INSERT INTO sbtest7(id, k, c, pad) VALUES ("));
            assert_eq!(sql.matches('(').count() - 1, *rows as usize);
            assert!(sql.len() <= LONGEST_INSERT);
        }
        // A row has at most 205 characters: an id of five digits, a key of ten, both texts, quotes and punctuation.
        let full = &inserts[..inserts.len() - 1];
        assert!(full.iter().all(|(sql, _)| sql.len() + 205 > LONGEST_INSERT));
    }

    #[test]
    fn content_depends_on_the_seed() {
        assert_eq!(statements(100), statements(100));
    }
}
