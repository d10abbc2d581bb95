//! Check of the specification's consistency conditions (clause 3.3.2), and of the numbers of rows (clause 1.2.1).
//!
//! Most of the conditions hold on empty tables.

use std::iter::once;

use mysql_async::prelude::Queryable;

use crate::client::target::Target;
use crate::error::{DriveError, failed};
use crate::util::runtime::on_this_thread;
use crate::workloads::tpcc::options::{CUSTOMERS, DISTRICTS, ITEMS};

/// Result of one condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedCondition {
    /// Number of the condition in the specification; 0 for the numbers of rows.
    pub number: u8,
    /// Meaning of the condition.
    pub text: &'static str,
    /// Number of warehouses, districts, orders, order lines or customers that violate it, or of missing and surplus rows.
    pub violations: u64,
}

/// Checks all conditions on so many warehouses. Each one is a single statement, and so a single view of the tables: the load
/// need not stop.
///
/// Blocks. Reads the whole tables several times.
pub fn check(target: &Target, warehouses: u32) -> Result<Vec<CheckedCondition>, DriveError> {
    let cardinalities = (0, CARDINALITIES, cardinalities(warehouses));
    let others = CONDITIONS.map(|(number, text, sql)| (number, text, sql.to_owned()));
    on_this_thread(async {
        let mut conn = target.connect().await?;
        let mut conditions = Vec::new();
        for (number, text, sql) in once(cardinalities).chain(others) {
            let violations = conn.query_first::<u64, _>(sql).await;
            let violations =
                violations.map_err(failed(format!("check consistency condition {number} ({text})")))?;
            conditions.push(CheckedCondition {
                number,
                text,
                // COUNT always returns a row.
                violations: violations.unwrap_or_default(),
            });
        }
        // The results are known even if the connection cannot be closed.
        let _ = conn.disconnect().await;
        Ok(conditions)
    })?
}

/// Meaning of the numbers of rows.
const CARDINALITIES: &str = "warehouses, districts, customers, items and stock have the numbers of clause 1.2.1, and each \
                             customer at least one order and one payment on average";

/// Returns the statement that counts missing and surplus rows. Orders and payments only grow; new orders come and go.
fn cardinalities(warehouses: u32) -> String {
    let (warehouses, districts) = (u64::from(warehouses), u64::from(DISTRICTS));
    let customers = districts * u64::from(CUSTOMERS);
    let exact = |table: &str, key: &str, each: u64| {
        let groups = format!(
            "SELECT COUNT(*) AS seen FROM {table} WHERE {key} BETWEEN 1 AND {warehouses} GROUP BY {key}"
        );
        let total = warehouses * each;
        // What is missing and what is too much in each warehouse, in those that are not there, and in surplus ones.
        format!(
            "(SELECT COALESCE(SUM(ABS(CAST(seen AS SIGNED) - {each})), 0) + {total} - COUNT(*) * {each} \
             FROM ({groups}) {table}_rows) + (SELECT COUNT(*) FROM {table} WHERE {key} NOT BETWEEN 1 AND {warehouses})"
        )
    };
    let at_least = |table: &str, each: u64| {
        let total = warehouses * each;
        format!("(SELECT GREATEST({total} - CAST(COUNT(*) AS SIGNED), 0) FROM {table})")
    };
    let items = format!("(SELECT ABS(CAST(COUNT(*) AS SIGNED) - {ITEMS}) FROM item)");
    let sums = [
        exact("warehouse", "w_id", 1),
        exact("district", "d_w_id", districts),
        exact("customer", "c_w_id", customers),
        exact("stock", "s_w_id", ITEMS.into()),
        items,
        at_least("orders", customers),
        at_least("history", customers),
    ];
    format!("SELECT CAST({} AS UNSIGNED)", sums.join(" + "))
}

/// Number, meaning, and the statement that counts violations. Condition 11 is left out: it holds only until something is
/// delivered.
const CONDITIONS: [(u8, &str, &str); 11] = [
    (
        1,
        "w_ytd is the sum of its districts' d_ytd",
        "SELECT COUNT(*) FROM warehouse LEFT JOIN \
         (SELECT d_w_id, SUM(d_ytd) AS ytd FROM district GROUP BY d_w_id) d ON d_w_id = w_id \
         WHERE NOT (w_ytd <=> ytd)",
    ),
    (
        2,
        "d_next_o_id - 1 is the newest order, and the newest of the new orders if there are any",
        "SELECT COUNT(*) FROM district \
         LEFT JOIN (SELECT o_w_id, o_d_id, MAX(o_id) AS newest FROM orders GROUP BY o_w_id, o_d_id) o \
         ON o_w_id = d_w_id AND o_d_id = d_id \
         LEFT JOIN (SELECT no_w_id, no_d_id, MAX(no_o_id) AS newest FROM new_orders GROUP BY no_w_id, no_d_id) n \
         ON no_w_id = d_w_id AND no_d_id = d_id \
         WHERE NOT (o.newest <=> d_next_o_id - 1) OR n.newest <> d_next_o_id - 1",
    ),
    (
        3,
        "the numbers of a district's new orders have no gaps",
        "SELECT COUNT(*) FROM (SELECT no_w_id FROM new_orders GROUP BY no_w_id, no_d_id \
         HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)) broken",
    ),
    (
        4,
        "the sum of a district's o_ol_cnt is the number of its order lines",
        "SELECT COUNT(*) FROM district \
         LEFT JOIN (SELECT o_w_id, o_d_id, SUM(o_ol_cnt) AS expected FROM orders GROUP BY o_w_id, o_d_id) o \
         ON o_w_id = d_w_id AND o_d_id = d_id \
         LEFT JOIN (SELECT ol_w_id, ol_d_id, COUNT(*) AS seen FROM order_line GROUP BY ol_w_id, ol_d_id) l \
         ON ol_w_id = d_w_id AND ol_d_id = d_id WHERE NOT (expected <=> seen)",
    ),
    (
        5,
        "an order has no carrier if and only if it is a new one",
        "SELECT COUNT(*) FROM orders LEFT JOIN new_orders \
         ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id \
         WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)",
    ),
    (
        6,
        "an order has o_ol_cnt lines",
        "SELECT COUNT(*) FROM orders LEFT JOIN \
         (SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS seen FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id) l \
         ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE NOT (seen <=> o_ol_cnt)",
    ),
    (
        7,
        "a line has no time of delivery if and only if its order has no carrier",
        "SELECT COUNT(*) FROM order_line LEFT JOIN orders \
         ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id \
         WHERE o_id IS NULL OR (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)",
    ),
    (
        8,
        "w_ytd is the sum of the payments to the warehouse",
        "SELECT COUNT(*) FROM warehouse LEFT JOIN \
         (SELECT h_w_id, SUM(h_amount) AS paid FROM history GROUP BY h_w_id) h ON h_w_id = w_id \
         WHERE NOT (w_ytd <=> paid)",
    ),
    (
        9,
        "d_ytd is the sum of the payments to the district",
        "SELECT COUNT(*) FROM district LEFT JOIN \
         (SELECT h_w_id, h_d_id, SUM(h_amount) AS paid FROM history GROUP BY h_w_id, h_d_id) h \
         ON h_w_id = d_w_id AND h_d_id = d_id WHERE NOT (d_ytd <=> paid)",
    ),
    (
        10,
        "c_balance is what was delivered to the customer less what was paid",
        "SELECT COUNT(*) FROM customer LEFT JOIN \
         (SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS delivered FROM orders JOIN order_line \
         ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE ol_delivery_d IS NOT NULL \
         GROUP BY o_w_id, o_d_id, o_c_id) o ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id LEFT JOIN \
         (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS paid FROM history \
         GROUP BY h_c_w_id, h_c_d_id, h_c_id) h ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id \
         WHERE c_balance <> COALESCE(delivered, 0) - COALESCE(paid, 0)",
    ),
    (
        12,
        "c_balance + c_ytd_payment is what was delivered to the customer",
        "SELECT COUNT(*) FROM customer LEFT JOIN \
         (SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS delivered FROM orders JOIN order_line \
         ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE ol_delivery_d IS NOT NULL \
         GROUP BY o_w_id, o_d_id, o_c_id) o ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id \
         WHERE c_balance + c_ytd_payment <> COALESCE(delivered, 0)",
    ),
];
