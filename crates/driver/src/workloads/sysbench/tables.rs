//! SQL of sysbench's tables.

use crate::workloads::multi_row_insert::LONGEST_INSERT;
use crate::workloads::request_values::Draw;

/// Returns the statement that creates a table, as in sysbench 1.0.
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

/// Returns the statement that creates the secondary index of a table, after the load.
pub(crate) fn create_index(table: u32) -> String {
    format!("CREATE INDEX k_{table} ON sbtest{table}(k)")
}

/// Iterator over the statements that fill a table, each with its number of rows.
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

/// Maximum length of a row: a key of ten digits, both texts, quotes and punctuation.
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
    fn inserts_have_every_row_and_no_statement_is_too_long() {
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
    fn content_depends_on_the_seed() {
        assert!(inserts(100).eq(inserts(100)));
    }
}
