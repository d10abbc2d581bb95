//! Delivery (clause 2.7): the oldest order of each district is delivered, all in one transaction, while the user waits.

use mysql_async::Value;

use crate::client::connection::Conn;
use crate::workloads::statement::Ready;

use crate::workloads::tpcc::connection::found;
use crate::workloads::tpcc::options::DISTRICTS;

/// Its statements.
pub(crate) struct Deliveries {
    oldest: Ready,
    no_longer_new: Ready,
    customer: Ready,
    carried: Ready,
    delivered: Ready,
    amount: Ready,
    owed: Ready,
}

impl Deliveries {
    pub(crate) fn new() -> Self {
        Self {
            oldest: Ready::text(
                "SELECT no_o_id FROM new_orders WHERE no_w_id = ? AND no_d_id = ? \
                 ORDER BY no_o_id LIMIT 1 FOR UPDATE",
            ),
            no_longer_new: Ready::text(
                "DELETE FROM new_orders WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?",
            ),
            customer: Ready::text("SELECT o_c_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?"),
            carried: Ready::text(
                "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
            ),
            delivered: Ready::text(
                "UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            ),
            amount: Ready::text(
                "SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            ),
            owed: Ready::text(
                "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            ),
        }
    }

    pub(crate) fn each(&mut self) -> Vec<&mut Ready> {
        vec![
            &mut self.oldest,
            &mut self.no_longer_new,
            &mut self.customer,
            &mut self.carried,
            &mut self.delivered,
            &mut self.amount,
            &mut self.owed,
        ]
    }

    pub(crate) async fn run(&self, conn: &mut Conn, warehouse: u32, carrier: u32) -> mysql_async::Result<()> {
        for district in 1..=DISTRICTS {
            let of = vec![warehouse.into(), district.into()];
            let oldest: Option<u32> = self.oldest.first(conn, of).await?;
            // A district without new orders is left out.
            if let Some(order) = oldest {
                let order = [warehouse.into(), district.into(), order.into()];
                self.deliver(conn, order, carrier).await?;
            }
        }
        Ok(())
    }

    async fn deliver(&self, conn: &mut Conn, order: [Value; 3], carrier: u32) -> mysql_async::Result<()> {
        let key = || order.to_vec();
        self.no_longer_new.send(conn, key()).await?;
        let customer: u32 = found(self.customer.first(conn, key()).await?)?;
        self.carried
            .send(conn, [vec![carrier.into()], key()].concat())
            .await?;
        self.delivered.send(conn, key()).await?;
        let amount: String = found(self.amount.first(conn, key()).await?)?;
        let [w, d, _] = order;
        self.owed
            .send(conn, vec![amount.into(), w, d, customer.into()])
            .await
    }
}
