//! Rows that the tables start with (clause 4.3), in batches that can be loaded in parallel.

use std::iter::once;

use logtrace_common::random::{Stream, Xoshiro256PlusPlus};

use crate::workloads::load_batch::{LoadBatch, inserts};

use crate::workloads::tpcc::inputs::DistrictKey;
use crate::workloads::tpcc::load_customers::{address, customers, payments, rate};
use crate::workloads::tpcc::load_orders::{line_count, line_rows, new_order_rows, order_rows, orders};
use crate::workloads::tpcc::money::amount;
use crate::workloads::tpcc::nurand::uniform;
use crate::workloads::tpcc::options::{CUSTOMERS, DISTRICTS, FIRST_NEW_ORDER, ITEMS};
use crate::workloads::tpcc::random_text::{data, letters_and_digits};

/// Number of random streams of a warehouse: one of its own, and five for each district.
const STREAMS: u32 = 64;

/// Returns all rows: the items, and for each warehouse its stock and its districts.
pub(crate) fn load_batches(warehouses: u32, seed: u64) -> impl Iterator<Item = LoadBatch> {
    let warehouse_batches = move |warehouse| {
        let districts =
            (1..=DISTRICTS).map(move |district| district_batch(DistrictKey { warehouse, district }, seed));
        once(warehouse_batch(warehouse, seed)).chain(districts)
    };
    once(item_batch(seed)).chain((1..=warehouses).flat_map(warehouse_batches))
}

/// Returns the number of all rows.
pub(crate) fn total_rows(warehouses: u32, seed: u64) -> u64 {
    table_rows(warehouses, seed).iter().map(|(_, rows)| rows).sum()
}

/// Returns the number of rows of each table.
pub(crate) fn table_rows(warehouses: u32, seed: u64) -> [(&'static str, u64); 9] {
    let keys = (1..=warehouses)
        .flat_map(|warehouse| (1..=DISTRICTS).map(move |district| DistrictKey { warehouse, district }));
    let lines: u64 = keys
        .map(|key| line_count(&orders(&mut stream(key, Purpose::Orders, seed))))
        .sum();
    let warehouses = u64::from(warehouses);
    let districts = warehouses * u64::from(DISTRICTS);
    // A customer has a payment and an order.
    let customers = districts * u64::from(CUSTOMERS);
    [
        ("warehouse", warehouses),
        ("district", districts),
        ("customer", customers),
        ("history", customers),
        (
            "new_orders",
            districts * u64::from(CUSTOMERS - FIRST_NEW_ORDER + 1),
        ),
        ("orders", customers),
        ("order_line", lines),
        ("item", ITEMS.into()),
        ("stock", warehouses * u64::from(ITEMS)),
    ]
}

/// Purpose of random values.
#[derive(Clone, Copy, Debug)]
enum Purpose {
    District,
    Customers,
    History,
    Orders,
    Lines,
}

/// Returns the random values of a district for one purpose. Each purpose has values of its own, so that they do not depend
/// on each other.
fn stream(key: DistrictKey, purpose: Purpose, seed: u64) -> Xoshiro256PlusPlus {
    let DistrictKey { warehouse, district } = key;
    Stream::Load(warehouse * STREAMS + district * 5 + purpose as u32).rng(seed)
}

fn item_batch(seed: u64) -> LoadBatch {
    // No warehouse has the number 0.
    let mut rng = Stream::Load(0).rng(seed);
    let items = (1..=ITEMS).map(move |number| {
        let image = uniform(&mut rng, 1, 10_000);
        let name = letters_and_digits(&mut rng, 14, 24);
        let price = amount(uniform(&mut rng, 100, 10_000).into());
        format!("({number},{image},'{name}',{price},'{}')", data(&mut rng))
    });
    LoadBatch::new("the items".into(), inserts("item", items))
}

fn warehouse_batch(warehouse: u32, seed: u64) -> LoadBatch {
    let mut rng = Stream::Load(warehouse * STREAMS).rng(seed);
    let row = {
        let name = letters_and_digits(&mut rng, 6, 10);
        let (address, tax) = (address(&mut rng), rate(&mut rng, 2_000));
        format!("({warehouse},'{name}',{address},{tax},300000.00)")
    };
    let stock = (1..=ITEMS).map(move |item| stock_row(warehouse, item, &mut rng));
    let statements = inserts("warehouse", once(row)).chain(inserts("stock", stock));
    LoadBatch::new(format!("the stock of warehouse {warehouse}"), statements)
}

fn stock_row(warehouse: u32, item: u32, rng: &mut Xoshiro256PlusPlus) -> String {
    let mut row = format!("({item},{warehouse},{}", uniform(rng, 10, 100));
    for _ in 0..DISTRICTS {
        row.push_str(",'");
        row.push_str(&letters_and_digits(rng, 24, 24));
        row.push('\'');
    }
    row.push_str(",0,0,0,'");
    row.push_str(&data(rng));
    row.push_str("')");
    row
}

fn district_batch(key: DistrictKey, seed: u64) -> LoadBatch {
    let values = move |purpose| stream(key, purpose, seed);
    let orders = || orders(&mut values(Purpose::Orders));
    let lines = line_rows(key, orders(), values(Purpose::Lines));
    let district = once(district_row(key, values(Purpose::District)));
    let statements = inserts("district", district)
        .chain(inserts("customer", customers(key, values(Purpose::Customers))))
        .chain(inserts("history", payments(key, values(Purpose::History))))
        .chain(inserts("orders", order_rows(key, orders())))
        .chain(inserts("new_orders", new_order_rows(key)))
        .chain(inserts("order_line", lines));
    let DistrictKey { warehouse, district } = key;
    LoadBatch::new(
        format!("district {district} of warehouse {warehouse}"),
        statements,
    )
}

fn district_row(key: DistrictKey, mut rng: Xoshiro256PlusPlus) -> String {
    let DistrictKey { warehouse, district } = key;
    let name = letters_and_digits(&mut rng, 6, 10);
    let (address, tax) = (address(&mut rng), rate(&mut rng, 2_000));
    let next = CUSTOMERS + 1;
    format!("({district},{warehouse},'{name}',{address},{tax},30000.00,{next})")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn rows(warehouses: u32) -> BTreeMap<String, u64> {
        let mut rows = BTreeMap::new();
        for (sql, count) in load_batches(warehouses, 3).flat_map(|batch| batch.statements) {
            let table = sql.split_whitespace().nth(2).unwrap().to_owned();
            *rows.entry(table).or_default() += u64::from(count);
        }
        rows
    }

    #[test]
    fn tables_have_the_rows_of_the_specification_and_their_number_is_known() {
        let mut rows = rows(2);
        assert_eq!(rows.values().sum::<u64>(), total_rows(2, 3));
        for (table, count) in table_rows(2, 3) {
            assert_eq!(rows[table], count, "{table}");
        }
        let lines = rows.remove("order_line").unwrap();
        assert!(
            lines.abs_diff(600_000) < 5 * 775,
            "{lines} of 600,000, five standard errors"
        );
        let expected = [
            ("customer", 60_000),
            ("district", 20),
            ("history", 60_000),
            ("item", 100_000),
            ("new_orders", 18_000),
            ("orders", 60_000),
            ("stock", 200_000),
            ("warehouse", 2),
        ];
        assert!(
            rows.iter()
                .map(|(table, &count)| (table.as_str(), count))
                .eq(expected),
            "{rows:?}"
        );
    }

    #[test]
    fn content_depends_on_the_seed() {
        let second = |seed| load_batches(1, seed).nth(1).unwrap().statements.nth(1).unwrap();
        assert_eq!(second(3), second(3));
        assert_ne!(second(3), second(4));
    }
}
