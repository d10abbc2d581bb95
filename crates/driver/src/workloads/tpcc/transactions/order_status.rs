//! Order status (clause 2.6): a customer asks for the last order.

use mysql_async::Value;

use crate::client::Conn;
use crate::workloads::tpcc::inputs::Customer;
use crate::workloads::tpcc::profile::Profile;
use crate::workloads::tpcc::transactions::customer_lookup::{BY_LAST_NAME, customer_key};
use crate::workloads::tpcc::transactions::statements::statements;

statements! {
    /// Statements of an order status.
    struct OrderStatusStatements() {
        customer: "SELECT c_balance, c_first, c_middle, c_last FROM customer \
            WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        last_order: "SELECT o_id, o_carrier_id, o_entry_d FROM orders \
            WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1",
        by_last_name: BY_LAST_NAME,
        lines: "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line \
            WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
    }
}

impl OrderStatusStatements {
    pub(crate) async fn run(
        &self,
        profile: Profile,
        conn: &mut Conn,
        customer: &Customer,
    ) -> mysql_async::Result<()> {
        let key = customer_key(&self.by_last_name, profile, conn, customer).await?;
        self.customer.execute(conn, key.to_vec()).await?;
        let (order, _, _): (u32, Value, Value) = self.last_order.fetch_one(conn, key.to_vec()).await?;
        let [w, d, _] = key;
        let order = match profile.reads_lines_by_district_number() {
            true => d.clone(),
            false => order.into(),
        };
        self.lines.execute(conn, vec![w, d, order]).await
    }
}
