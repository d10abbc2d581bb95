//! Stock level (clause 2.8): counts the items of a district's last 20 orders that are nearly out of stock.

use crate::client::Conn;
use crate::workloads::tpcc::inputs::DistrictKey;
use crate::workloads::tpcc::transactions::statements::statements;

/// Number of last orders that are examined.
const ORDERS: u32 = 20;

statements! {
    /// Statements of a stock level.
    struct StockLevelStatements() {
        next_order: "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?",
        low_stock: "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock \
            WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? \
            AND s_w_id = ol_w_id AND s_i_id = ol_i_id AND s_quantity < ?",
    }
}

impl StockLevelStatements {
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
