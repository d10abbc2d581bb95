//! An update of the indexed column (sysbench 1.0 `oltp_update_index`).

use super::one_row::ByKey;

/// The statement of `update_key`.
pub(crate) struct UpdateKey;

impl ByKey for UpdateKey {
    fn sql(table: u32) -> String {
        format!("UPDATE sbtest{table} SET k=k+1 WHERE id=?")
    }
}
