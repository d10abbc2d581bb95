//! Delivery (clause 2.7): the oldest new order of each district is delivered, in one transaction, while the user waits.

use mysql_async::Value;

use crate::client::Conn;
use crate::workloads::tpcc::options::DISTRICTS;
use crate::workloads::tpcc::transactions::statements::statements;

statements! {
    /// Statements of a delivery.
    struct DeliveryStatements() {
        oldest: "SELECT no_o_id FROM new_orders WHERE no_w_id = ? AND no_d_id = ? \
            ORDER BY no_o_id LIMIT 1 FOR UPDATE",
        delete: "DELETE FROM new_orders WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?",
        customer: "SELECT o_c_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
        set_carrier: "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
        set_delivery_date: "UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
        amount: "SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
        charge: "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 \
            WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
    }
}

impl DeliveryStatements {
    pub(crate) async fn run(&self, conn: &mut Conn, warehouse: u32, carrier: u32) -> mysql_async::Result<()> {
        for district in 1..=DISTRICTS {
            let key = vec![warehouse.into(), district.into()];
            let oldest: Option<u32> = self.oldest.fetch_optional(conn, key).await?;
            // A district without new orders is skipped.
            if let Some(order) = oldest {
                let order = [warehouse.into(), district.into(), order.into()];
                self.deliver(conn, order, carrier).await?;
            }
        }
        Ok(())
    }

    async fn deliver(&self, conn: &mut Conn, order: [Value; 3], carrier: u32) -> mysql_async::Result<()> {
        let key = || order.to_vec();
        self.delete.execute(conn, key()).await?;
        let customer: u32 = self.customer.fetch_one(conn, key()).await?;
        self.set_carrier
            .execute(conn, [vec![carrier.into()], key()].concat())
            .await?;
        self.set_delivery_date.execute(conn, key()).await?;
        let amount: String = self.amount.fetch_one(conn, key()).await?;
        let [w, d, _] = order;
        self.charge
            .execute(conn, vec![amount.into(), w, d, customer.into()])
            .await
    }
}
