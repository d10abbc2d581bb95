//! A run of a workload from a file.

use logtrace_report::document::{KindRow, Workload};

use super::{Sample, driver, not_traced, workload};

/// Not traced, with requests of two kinds, over encrypted connections.
pub(crate) fn sample() -> Sample {
    let mut sample = not_traced();
    sample.document.workload = Some(Workload {
        name: "transfer.toml".to_owned(),
        encrypted: Some(true),
        keys: "custom".to_owned(),
        tables: 2,
        rows: None,
        statements: std::collections::BTreeMap::new(),
        ..workload()
    });
    let response = driver().response;
    let kind = |(name, done): (&str, u64)| KindRow {
        name: name.to_owned(),
        done,
        rolled_back: 0,
        failed: 0,
        service: response,
        response,
    };
    if let Some(driver) = &mut sample.document.driver {
        let transfers = driver.done / 4;
        let kinds = [("transfer", transfers), ("read_balance", driver.done - transfers)];
        driver.kinds = kinds.map(kind).to_vec();
    }
    sample
}
