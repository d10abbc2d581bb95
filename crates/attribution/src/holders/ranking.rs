//! Transactions that stand out: those that others waited for longest, the largest and the longest.

use std::cmp::Reverse;

use super::document::TransactionRow;

/// Number of transactions of each order.
const EACH: usize = 8;

/// Number of transactions that are held before the others are dropped.
const MOST_HELD: usize = 256;

/// Transactions of a window that may be listed.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    rows: Vec<TransactionRow>,
    /// Values by which a later transaction is at least among the first of an order.
    least: [u64; 3],
}

impl Ranking {
    /// Adds a transaction.
    pub(super) fn add(&mut self, row: TransactionRow) {
        let is_first = |(value, least): (u64, u64)| value > least;
        if !ranks(&row).into_iter().zip(self.least).any(is_first) {
            return;
        }
        self.rows.push(row);
        if self.rows.len() >= MOST_HELD {
            self.drop_others();
        }
    }

    /// Returns the transactions: those that others waited for longest come first, then the largest, then the longest.
    pub(super) fn finish(mut self) -> Vec<TransactionRow> {
        self.drop_others();
        self.rows
            .sort_by_key(|row| Reverse((row.waited, row.bytes, row.ns, row.thread, row.end)));
        self.rows
    }

    /// Keeps the first of each order.
    fn drop_others(&mut self) {
        let mut is_kept = vec![false; self.rows.len()];
        let mut places: Vec<usize> = (0..self.rows.len()).collect();
        for (order, least) in self.least.iter_mut().enumerate() {
            let value = |place: usize| ranks(&self.rows[place])[order];
            places.sort_by_key(|&place| (Reverse(value(place)), place));
            if let Some(&last) = places.get(EACH - 1) {
                *least = value(last);
            }
            for &place in places.iter().take(EACH).filter(|&&place| value(place) > 0) {
                is_kept[place] = true;
            }
        }
        let mut is_kept = is_kept.into_iter();
        self.rows.retain(|_| is_kept.next().unwrap_or(false));
    }
}

/// Returns the values of the three orders.
fn ranks(row: &TransactionRow) -> [u64; 3] {
    [row.waited, row.bytes.unwrap_or(0), row.ns]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(waited: u64, bytes: u64, ns: u64) -> TransactionRow {
        TransactionRow {
            waited,
            bytes: Some(bytes),
            ns,
            ..TransactionRow::default()
        }
    }

    /// Returns the values of one order, the largest first, of at most so many.
    fn first(rows: &[TransactionRow], order: usize) -> Vec<u64> {
        let mut values: Vec<u64> = rows.iter().map(|row| ranks(row)[order]).collect();
        values.sort_unstable_by_key(|&value| Reverse(value));
        values.truncate(EACH);
        values.retain(|&value| value > 0);
        values
    }

    proptest! {
        #[test]
        fn the_first_of_each_order_are_listed_and_few_others(
            values in proptest::collection::vec((0..50_u64, 0..5_000_u64, 1..100_000_u64), 0..2_000),
        ) {
            let rows: Vec<_> = values.iter().map(|&(waited, bytes, ns)| row(waited, bytes, ns)).collect();
            let mut ranking = Ranking::default();
            rows.iter().for_each(|row| ranking.add(row.clone()));
            let listed = ranking.finish();
            prop_assert!(listed.len() <= 3 * EACH);
            prop_assert!(listed.is_sorted_by_key(|row| Reverse(row.waited)));
            for order in 0..3 {
                prop_assert_eq!(first(&listed, order), first(&rows, order));
            }
        }
    }
}
