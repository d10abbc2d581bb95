//! Stock level (clause 2.8): items of a district's last 20 orders that are nearly out of stock are counted.

use crate::client::connection::Conn;
use crate::workloads::statement::Ready;

use crate::workloads::tpcc::connection::found;
use crate::workloads::tpcc::inputs::Place;

/// How many of the last orders count.
const ORDERS: u32 = 20;

/// Its statements.
pub(crate) struct StockLevels {
    district: Ready,
    low: Ready,
}

impl StockLevels {
    pub(crate) fn new() -> Self {
        Self {
            district: Ready::text("SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?"),
            low: Ready::text(
                "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock \
                 WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? \
                 AND s_w_id = ol_w_id AND s_i_id = ol_i_id AND s_quantity < ?",
            ),
        }
    }

    pub(crate) fn each(&mut self) -> Vec<&mut Ready> {
        vec![&mut self.district, &mut self.low]
    }

    pub(crate) async fn run(&self, conn: &mut Conn, at: Place, threshold: u32) -> mysql_async::Result<()> {
        let district = vec![at.warehouse.into(), at.district.into()];
        let next: u32 = found(self.district.first(conn, district).await?)?;
        let values = vec![
            at.warehouse.into(),
            at.district.into(),
            next.into(),
            next.saturating_sub(ORDERS).into(),
            threshold.into(),
        ];
        self.low.send(conn, values).await
    }
}
