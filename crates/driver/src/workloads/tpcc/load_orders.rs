//! Orders that a district starts with (clause 4.3.3.1), and the sum of the next order numbers.

use logtrace_common::random::{Xoshiro256PlusPlus, below};
use mysql_async::prelude::Queryable;

use crate::client::target::Target;
use crate::workloads::tpcc::inputs::DistrictKey;
use crate::workloads::tpcc::money::amount;
use crate::workloads::tpcc::nurand::uniform;
use crate::workloads::tpcc::options::{CUSTOMERS, FIRST_NEW_ORDER, ITEMS, MAX_ORDER_LINES};
use crate::workloads::tpcc::random_text::letters_and_digits;

/// Returns the sum of the next order numbers of all districts, or `None` if the server does not answer.
///
/// Each committed new order adds 1. Nothing else changes the sum.
pub(crate) async fn order_ids(target: &Target) -> Option<u64> {
    let mut conn = target.connect().await.ok()?;
    let sql = "SELECT CAST(SUM(d_next_o_id) AS UNSIGNED) FROM district";
    let sum = conn.query_first::<Option<u64>, _>(sql).await.ok()??;
    // The sum is known even if the connection cannot be closed.
    let _ = conn.disconnect().await;
    sum
}

/// Order that a district starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InitialOrder {
    number: u32,
    customer: u32,
    lines: u32,
    /// Carrier that delivered the order, or `None` if it is not delivered.
    carrier: Option<u32>,
}

/// Draws the orders of a district: one for each customer, in random order.
pub(crate) fn orders(rng: &mut Xoshiro256PlusPlus) -> Vec<InitialOrder> {
    let mut customers: Vec<u32> = (1..=CUSTOMERS).collect();
    // Fisher-Yates shuffle.
    for last in (1..customers.len()).rev() {
        customers.swap(last, below(rng, last as u64 + 1) as usize);
    }
    let order = |(number, customer)| InitialOrder {
        number,
        customer,
        lines: uniform(rng, 5, MAX_ORDER_LINES),
        carrier: (number < FIRST_NEW_ORDER).then(|| uniform(rng, 1, 10)),
    };
    (1..).zip(customers).map(order).collect()
}

/// Returns the number of lines of these orders.
pub(crate) fn line_count(orders: &[InitialOrder]) -> u64 {
    orders.iter().map(|order| u64::from(order.lines)).sum()
}

/// Returns the rows of `orders`.
pub(crate) fn order_rows(key: DistrictKey, orders: Vec<InitialOrder>) -> impl Iterator<Item = String> {
    let DistrictKey { warehouse, district } = key;
    orders.into_iter().map(move |order| {
        let InitialOrder {
            number,
            customer,
            lines,
            carrier,
        } = order;
        let carrier = carrier.map_or_else(|| "NULL".to_owned(), |carrier| carrier.to_string());
        format!("({number},{district},{warehouse},{customer},NOW(),{carrier},{lines},1)")
    })
}

/// Returns the rows of `new_orders`: the orders that are not delivered.
pub(crate) fn new_order_rows(key: DistrictKey) -> impl Iterator<Item = String> {
    let DistrictKey { warehouse, district } = key;
    (FIRST_NEW_ORDER..=CUSTOMERS).map(move |number| format!("({number},{district},{warehouse})"))
}

/// Returns the rows of `order_line`.
pub(crate) fn line_rows(
    key: DistrictKey,
    orders: Vec<InitialOrder>,
    mut rng: Xoshiro256PlusPlus,
) -> impl Iterator<Item = String> {
    let lines = orders
        .into_iter()
        .flat_map(|order| (1..=order.lines).map(move |line| (order, line)));
    lines.map(move |(order, line)| {
        let DistrictKey { warehouse, district } = key;
        let item = uniform(&mut rng, 1, ITEMS);
        let (delivered, cents) = match order.carrier {
            Some(_) => ("NOW()", 0),
            None => ("NULL", uniform(&mut rng, 1, 999_999)),
        };
        let (amount, info) = (amount(cents.into()), letters_and_digits(&mut rng, 24, 24));
        let number = order.number;
        format!("({number},{district},{warehouse},{line},{item},{warehouse},{delivered},5,{amount},'{info}')")
    })
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::Stream;

    use super::*;
    use crate::util::test_fit::assert_fits;

    #[test]
    fn each_customer_has_one_order_and_the_last_900_wait() {
        let mut rng = Stream::Load(1).rng(1);
        let orders = orders(&mut rng);
        let mut customers: Vec<u32> = orders.iter().map(|order| order.customer).collect();
        assert!(!customers.is_sorted(), "a permutation by chance");
        customers.sort_unstable();
        assert!(customers.into_iter().eq(1..=3000));
        assert!(orders.iter().map(|order| order.number).eq(1..=3000));
        assert_eq!(orders.iter().filter(|order| order.carrier.is_none()).count(), 900);
        let mut lines = [0; 11];
        for order in &orders {
            lines[order.lines as usize - 5] += 1;
        }
        assert_fits(&lines, &[1.0 / 11.0; 11]);
    }

    #[test]
    fn only_undelivered_lines_have_an_amount() {
        let at = DistrictKey {
            warehouse: 4,
            district: 2,
        };
        let mut rng = Stream::Load(1).rng(1);
        let orders = orders(&mut rng);
        let rows: Vec<String> = line_rows(at, orders.clone(), rng).collect();
        assert_eq!(rows.len() as u64, line_count(&orders));
        for row in &rows {
            assert_eq!(row.matches(',').count(), 9, "10 columns: {row}");
            let number: u32 = row[1..].split(',').next().unwrap().parse().unwrap();
            let delivered = number < FIRST_NEW_ORDER;
            assert_eq!(row.contains(",NOW(),5,0.00,"), delivered, "{row}");
            assert_eq!(row.contains(",NULL,5,"), !delivered, "{row}");
        }
        assert_eq!(new_order_rows(at).count(), 900);
    }
}
