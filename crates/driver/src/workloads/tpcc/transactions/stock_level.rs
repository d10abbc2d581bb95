//! Stock level (clause 2.8): counts the items of a district's last 20 orders that are nearly out of stock.

use crate::client::connection::Conn;
use crate::workloads::statement::Statement;
use crate::workloads::tpcc::inputs::DistrictKey;

/// Number of last orders that are examined.
const ORDERS: u32 = 20;

/// Statements of a stock level.
pub(crate) struct StockLevelStatements {
    next_order: Statement,
    low_stock: Statement,
}

impl StockLevelStatements {
    pub(crate) fn new() -> Self {
        Self {
            next_order: Statement::text("SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?"),
            low_stock: Statement::text(
                "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock \
                 WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? \
                 AND s_w_id = ol_w_id AND s_i_id = ol_i_id AND s_quantity < ?",
            ),
        }
    }

    pub(crate) fn statements_mut(&mut self) -> Vec<&mut Statement> {
        vec![&mut self.next_order, &mut self.low_stock]
    }

    pub(crate) async fn run(
        &self,
        conn: &mut Conn,
        district: DistrictKey,
        threshold: u32,
    ) -> mysql_async::Result<()> {
        let key = vec![district.warehouse.into(), district.district.into()];
        let next: u32 = self.next_order.fetch_one(conn, key.clone()).await?;
        let rest = vec![next.into(), next.saturating_sub(ORDERS).into(), threshold.into()];
        self.low_stock.execute(conn, [key, rest].concat()).await
    }
}
