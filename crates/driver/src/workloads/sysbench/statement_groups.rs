//! Groups of statements in sysbench's OLTP scripts (`oltp_common.lua` of 1.0.20).

use mysql_async::Value;
use strum::{IntoStaticStr, VariantArray};

use crate::workloads::request_values::Draw;

/// Group of statements of one kind. The table is drawn once for the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum StatementGroup {
    /// Reads of one row.
    PointSelects,
    /// Reads of a range of rows.
    SimpleRanges,
    /// Sums over a range of rows.
    SumRanges,
    /// Reads of a range of rows, sorted.
    OrderRanges,
    /// Reads of a range of rows, sorted and without duplicates.
    DistinctRanges,
    /// Updates of the indexed column.
    IndexUpdates,
    /// Updates of a column without index.
    NonIndexUpdates,
    /// Deletes of a row, each with an insert of a row with the same id.
    DeleteInserts,
    /// Deletes of a row.
    Deletes,
    /// Inserts of a row that the server numbers.
    Inserts,
}

impl StatementGroup {
    /// All groups, in the order in which scripts have them.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Returns the name in reports. It is sysbench's option for the number of statements, if there is such an option.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns whether the statements change rows.
    pub(crate) fn writes(self) -> bool {
        !self.has_ranges() && self != Self::PointSelects
    }

    /// Returns whether the statements read ranges of rows.
    pub(crate) fn has_ranges(self) -> bool {
        matches!(
            self,
            Self::SimpleRanges | Self::SumRanges | Self::OrderRanges | Self::DistinctRanges
        )
    }

    /// Returns the statements, with `{}` for the number of the table.
    pub(crate) fn templates(self) -> &'static [&'static str] {
        const DELETE: &str = "DELETE FROM sbtest{} WHERE id=?";
        const INSERT: &str = "INSERT INTO sbtest{} (id, k, c, pad) VALUES (?, ?, ?, ?)";
        match self {
            Self::PointSelects => &["SELECT c FROM sbtest{} WHERE id=?"],
            Self::SimpleRanges => &["SELECT c FROM sbtest{} WHERE id BETWEEN ? AND ?"],
            Self::SumRanges => &["SELECT SUM(k) FROM sbtest{} WHERE id BETWEEN ? AND ?"],
            Self::OrderRanges => &["SELECT c FROM sbtest{} WHERE id BETWEEN ? AND ? ORDER BY c"],
            Self::DistinctRanges => &["SELECT DISTINCT c FROM sbtest{} WHERE id BETWEEN ? AND ? ORDER BY c"],
            Self::IndexUpdates => &["UPDATE sbtest{} SET k=k+1 WHERE id=?"],
            Self::NonIndexUpdates => &["UPDATE sbtest{} SET c=? WHERE id=?"],
            Self::DeleteInserts => &[DELETE, INSERT],
            Self::Deletes => &[DELETE],
            Self::Inserts => &[INSERT],
        }
    }

    /// Draws the parameters of each statement once, in sysbench's order and types (BIGINT and VARCHAR), and passes them to
    /// `to` with the index of the statement. A range can extend beyond the last row.
    pub(crate) fn draw(self, draw: &mut Draw, range_size: u32, mut to: impl FnMut(usize, Vec<Value>)) {
        match self {
            Self::PointSelects | Self::IndexUpdates | Self::Deletes => to(0, vec![draw.key().into()]),
            Self::SimpleRanges | Self::SumRanges | Self::OrderRanges | Self::DistinctRanges => {
                let first = draw.key();
                to(0, vec![first.into(), (first + i64::from(range_size) - 1).into()]);
            }
            Self::NonIndexUpdates => to(0, vec![draw.c().into(), draw.key().into()]),
            Self::DeleteInserts => {
                let id = draw.key();
                to(0, vec![id.into()]);
                to(1, row(id, draw));
            }
            // The id 0 makes the server number the row.
            Self::Inserts => to(0, row(0, draw)),
        }
    }
}

fn row(id: i64, draw: &mut Draw) -> Vec<Value> {
    vec![id.into(), draw.key().into(), draw.c().into(), draw.pad().into()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::workloads::dataset::Dataset;
    use crate::workloads::keys::Keys;

    const DATASET: Dataset = Dataset {
        tables: 2,
        rows: 1000,
        keys: Keys::Uniform,
        seed: 1,
    };

    fn drawn(group: StatementGroup, number: u64) -> Vec<(usize, Vec<Value>)> {
        let mut all = Vec::new();
        let mut draw = Draw::request(DATASET, 9, number);
        group.draw(&mut draw, 100, |statement, args| all.push((statement, args)));
        all
    }

    proptest! {
        #[test]
        fn every_question_mark_gets_one_value(number: u64) {
            for &group in StatementGroup::ALL {
                let statements = drawn(group, number);
                prop_assert_eq!(statements.len(), group.templates().len());
                for (at, (statement, args)) in statements.iter().enumerate() {
                    prop_assert_eq!(*statement, at);
                    let places = group.templates()[at].matches('?').count();
                    prop_assert_eq!(args.len(), places, "{:?}", group);
                }
            }
        }

        #[test]
        fn a_range_has_its_size_and_a_deleted_row_is_inserted_again(number: u64) {
            let ranges = drawn(StatementGroup::SumRanges, number);
            let is_hundred = matches!(&ranges[0].1[..], [Value::Int(first), Value::Int(last)] if last - first == 99);
            prop_assert!(is_hundred && ranges.len() == 1);
            let pair = drawn(StatementGroup::DeleteInserts, number);
            let is_inserted_again =
                matches!(&pair[..], [(0, gone), (1, row)] if gone.len() == 1 && gone[0] == row[0]);
            prop_assert!(is_inserted_again, "{:?}", pair);
        }
    }
}
