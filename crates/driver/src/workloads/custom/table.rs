//! Table of a file, and its rows.

use std::iter::once;
use std::sync::Arc;

use logtrace_common::random::{Stream, nth_rng};

use crate::workloads::custom::generator::Generator;
use crate::workloads::load_batch::{LoadBatch, inserts};

/// Number of rows of a load batch.
const BATCH_ROWS: u32 = 50_000;

/// Tables are loaded in parallel, and a row can refer to a row that is loaded later.
const NO_FOREIGN_KEYS: &str = "SET foreign_key_checks = 0";

/// Table of a file.
#[derive(Clone, Debug)]
pub(crate) struct CustomTable {
    /// Name of the table.
    pub(crate) name: String,
    /// SQL that creates the table.
    pub(crate) create: String,
    /// Number of rows that are loaded.
    pub(crate) rows: u32,
    /// Columns that are filled, with their generators.
    pub(crate) columns: Vec<(String, Generator)>,
}

impl CustomTable {
    /// Returns the name and the columns, as they follow INSERT INTO.
    pub(crate) fn target(&self) -> String {
        let columns = self.columns.iter().map(|(name, _)| format!("`{name}`"));
        let columns: Vec<String> = columns.collect();
        format!("`{}` ({})", self.name, columns.join(","))
    }

    fn row(&self, base: u64, number: u32) -> String {
        let mut rng = nth_rng(base, number.into());
        let values = self.columns.iter();
        let values = values.map(|(_, generator)| generator.draw(&mut rng, number.into()).literal());
        let values: Vec<String> = values.collect();
        format!("({})", values.join(","))
    }
}

/// Returns the rows of a table in batches. The rows depend only on the seed, the index of the table in its file, and their
/// numbers.
pub(crate) fn load_batches(
    file: &str,
    table: Arc<CustomTable>,
    index: u32,
    seed: u64,
) -> impl Iterator<Item = LoadBatch> + use<> {
    let name = format!("the table {} of {file}", table.name);
    let base = Stream::Load(index).base(seed);
    let rows = table.rows;
    (0..rows.div_ceil(BATCH_ROWS)).map(move |batch| {
        let numbers = batch * BATCH_ROWS + 1..=rows.min((batch + 1).saturating_mul(BATCH_ROWS));
        let filled = Arc::clone(&table);
        let rows = numbers.map(move |number| filled.row(base, number));
        let inserts = inserts(table.target(), rows);
        LoadBatch::new(name.clone(), once((NO_FOREIGN_KEYS.to_owned(), 0)).chain(inserts))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::keys::Keys;

    fn table(rows: u32) -> Arc<CustomTable> {
        let integer = Generator::Integer {
            min: 10,
            count: 90,
            keys: Keys::Uniform,
        };
        Arc::new(CustomTable {
            name: "account".into(),
            create: String::new(),
            rows,
            columns: vec![("a".into(), integer), ("id".into(), Generator::OwnRow)],
        })
    }

    fn rows(count: u32, seed: u64) -> Vec<String> {
        let inserts =
            load_batches("a.toml", table(count), 1, seed).flat_map(|batch| batch.statements.skip(1));
        let head = "INSERT INTO `account` (`a`,`id`) VALUES ";
        let rows = inserts.flat_map(|(sql, _)| {
            let rows = sql.strip_prefix(head).unwrap().replace("),(", ")\n(");
            rows.lines().map(str::to_owned).collect::<Vec<_>>()
        });
        rows.collect()
    }

    #[test]
    fn every_row_is_in_one_batch() {
        let count = 2 * BATCH_ROWS + 1;
        assert_eq!(load_batches("a.toml", table(count), 1, 5).count(), 3);
        let all = rows(count, 5);
        assert_eq!(all.len(), count as usize);
        for (row, number) in all.iter().zip(1..) {
            let (_, id) = row.trim_matches(['(', ')']).split_once(',').unwrap();
            assert_eq!(id.parse(), Ok(number));
        }
        assert_eq!(all[..1000], rows(1000, 5));
        assert_ne!(all[..1000], rows(1000, 6));
        assert_eq!(load_batches("a.toml", table(0), 1, 5).count(), 0);
    }
}
