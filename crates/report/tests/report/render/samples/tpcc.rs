//! A run of the TPC-C-like workload.

use logtrace_report::document::{Consistency, KindRow, Tpcc, Workload};

use super::{Sample, driver, not_traced, workload};

/// Not traced, with a condition that did not hold in the end.
pub(crate) fn sample() -> Sample {
    let mut sample = not_traced();
    sample.document.workload = Some(Workload {
        name: "tpcc".to_owned(),
        keys: "nurand".to_owned(),
        tables: 9,
        rows: None,
        statements: std::collections::BTreeMap::new(),
        transaction: true,
        ..workload()
    });
    sample.document.tpcc = Some(tpcc());
    sample
}

fn tpcc() -> Tpcc {
    let names = ["new_order", "payment", "order_status", "delivery", "stock_level"];
    let done = [16_200, 15_480, 1_440, 1_440, 1_439];
    let response = driver().response;
    let transaction = |(name, done): (&str, u64)| KindRow {
        name: name.to_owned(),
        done,
        rolled_back: if name == "new_order" { 163 } else { 0 },
        failed: u64::from(name == "stock_level"),
        service: response,
        response,
    };
    let condition = |(condition, text, after_run): (u64, &str, u64)| Consistency {
        condition,
        text: text.to_owned(),
        after_load: 0,
        after_run: Some(after_run),
    };
    let conditions = [
        (1, "w_ytd is the sum of its districts' d_ytd", 0),
        (3, "the numbers of a district's new orders have no gaps", 2),
    ];
    Tpcc {
        warehouses: 10,
        compat: "dbt2".to_owned(),
        homes: "connection".to_owned(),
        keying_times: true,
        nopm: 32_074.0,
        nopm_with_rollbacks: 32_400.0,
        committed_orders: 16_037,
        orders_grown: Some(16_037),
        transactions: names.into_iter().zip(done).map(transaction).collect(),
        consistency: conditions.map(condition).to_vec(),
    }
}
