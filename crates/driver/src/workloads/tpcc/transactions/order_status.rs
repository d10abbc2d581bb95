//! Order status (clause 2.6): a customer asks for the last order.

use mysql_async::Row;

use crate::client::connection::Conn;
use crate::workloads::statement::Ready;

use crate::workloads::tpcc::connection::found;
use crate::workloads::tpcc::inputs::Customer;
use crate::workloads::tpcc::profile::Profile;
use crate::workloads::tpcc::transactions::customer_lookup::Customers;

/// Its statements.
pub(crate) struct OrderStatus {
    mistakes_order: bool,
    customers: Customers,
    customer: Ready,
    order: Ready,
    lines: Ready,
}

impl OrderStatus {
    pub(crate) fn new(profile: Profile) -> Self {
        Self {
            mistakes_order: profile.mistakes_order(),
            customers: Customers::new(profile),
            customer: Ready::text(
                "SELECT c_balance, c_first, c_middle, c_last FROM customer \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            ),
            order: Ready::text(
                "SELECT o_id, o_carrier_id, o_entry_d FROM orders \
                 WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1",
            ),
            lines: Ready::text(
                "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line \
                 WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            ),
        }
    }

    pub(crate) fn each(&mut self) -> Vec<&mut Ready> {
        let mut all = vec![&mut self.customer, &mut self.order, &mut self.lines];
        all.extend(self.customers.each());
        all
    }

    pub(crate) async fn run(&self, conn: &mut Conn, customer: &Customer) -> mysql_async::Result<()> {
        let key = self.customers.key(conn, customer).await?;
        self.customer.send(conn, key.to_vec()).await?;
        let order: Option<Row> = self.order.first(conn, key.to_vec()).await?;
        let order: u32 = found(found(order)?.get(0))?;
        let [w, d, _] = key;
        let told = if self.mistakes_order {
            d.clone()
        } else {
            order.into()
        };
        self.lines.send(conn, vec![w, d, told]).await
    }
}
