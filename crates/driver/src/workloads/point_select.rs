//! A read of one row by primary key (sysbench 1.0 `oltp_point_select`).

use super::one_row::ByKey;

/// The statement of `point_select`.
pub(crate) struct PointSelect;

impl ByKey for PointSelect {
    fn sql(table: u32) -> String {
        format!("SELECT c FROM sbtest{table} WHERE id=?")
    }
}
