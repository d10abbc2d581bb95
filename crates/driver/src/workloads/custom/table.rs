//! A table of a file, and the rows that it starts with.

use std::sync::Arc;

use crate::util::random::{Stream, nth_rng};
use crate::workloads::custom::generator::Generator;
use crate::workloads::load_batch::LoadBatch;
use crate::workloads::multi_row_insert::batches;

/// Rows that one connection loads at a time.
const PART: u32 = 50_000;

/// Tables are filled at the same time, and a row may name one that comes later.
const NO_FOREIGN_KEYS: &str = "SET foreign_key_checks = 0";

/// A table, checked.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Its name.
    pub(crate) name: String,
    /// The statement that creates it.
    pub(crate) create: String,
    /// Rows that it starts with.
    pub(crate) rows: u32,
    /// The columns that these fill.
    pub(crate) columns: Vec<(String, Generator)>,
}

impl Table {
    /// What is behind INSERT INTO: the name and the columns.
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

/// The rows of the table that is the one of this place in its file. They depend on the seed and their numbers alone.
pub(crate) fn parts(
    file: &str,
    table: Arc<Table>,
    place: u32,
    seed: u64,
) -> impl Iterator<Item = LoadBatch> + use<> {
    let name = format!("the table {} of {file}", table.name);
    let base = Stream::Load(place).base(seed);
    let rows = table.rows;
    (0..rows.div_ceil(PART)).map(move |part| {
        let numbers = part * PART + 1..=rows.min((part + 1).saturating_mul(PART));
        let filled = Arc::clone(&table);
        let rows = numbers.map(move |number| filled.row(base, number));
        LoadBatch::rows(name.clone(), batches(table.target(), rows)).beginning_with(NO_FOREIGN_KEYS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::keys::distribution::Keys;

    fn table(rows: u32) -> Arc<Table> {
        let integer = Generator::Integer {
            min: 10,
            count: 90,
            keys: Keys::Uniform,
        };
        Arc::new(Table {
            name: "account".into(),
            create: String::new(),
            rows,
            columns: vec![("a".into(), integer), ("id".into(), Generator::OwnRow)],
        })
    }

    fn rows(count: u32, seed: u64) -> Vec<String> {
        let inserts = parts("a.toml", table(count), 1, seed).flat_map(|part| part.inserts);
        let head = "INSERT INTO `account` (`a`,`id`) VALUES ";
        let rows = inserts.flat_map(|(sql, _)| {
            let rows = sql.strip_prefix(head).unwrap().replace("),(", ")\n(");
            rows.lines().map(str::to_owned).collect::<Vec<_>>()
        });
        rows.collect()
    }

    #[test]
    fn every_row_is_loaded_once_however_the_table_is_parted() {
        let count = 2 * PART + 1;
        assert_eq!(parts("a.toml", table(count), 1, 5).count(), 3);
        let all = rows(count, 5);
        assert_eq!(all.len(), count as usize);
        for (row, number) in all.iter().zip(1..) {
            let (_, id) = row.trim_matches(['(', ')']).split_once(',').unwrap();
            assert_eq!(id.parse(), Ok(number));
        }
        assert_eq!(all[..1000], rows(1000, 5));
        assert_ne!(all[..1000], rows(1000, 6));
        assert_eq!(parts("a.toml", table(0), 1, 5).count(), 0);
    }
}
