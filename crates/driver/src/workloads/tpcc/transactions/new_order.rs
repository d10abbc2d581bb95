//! New order (clause 2.4): a customer orders some items.

use mysql_async::Value;

use crate::client::Conn;
use crate::workloads::Issued;
use crate::workloads::statement::{Statement, required};
use crate::workloads::tpcc::inputs::{DistrictKey, NewOrderInput, OrderLine};
use crate::workloads::tpcc::money::{amount, cents};
use crate::workloads::tpcc::options::DISTRICTS;
use crate::workloads::tpcc::profile::Profile;
use crate::workloads::tpcc::transactions::statements::statements;

/// Stock that would fall below this number is refilled.
const LOW_STOCK: i64 = 10;
/// Number of pieces of a refill.
const REFILL: i64 = 91;

statements! {
    /// Statements of a new order, but those that read the stock.
    struct NewOrderSql(profile: Profile) {
        customer: "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse \
            WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?",
        district: "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE",
        update_district: "UPDATE district SET d_next_o_id = ? WHERE d_w_id = ? AND d_id = ?",
        insert_order: "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) \
            VALUES (?, ?, ?, ?, NOW(), ?, ?)",
        insert_new_order: "INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)",
        item: "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?",
        update_stock: match profile.updates_counters() {
            true => "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, \
                s_remote_cnt = s_remote_cnt + ? WHERE s_i_id = ? AND s_w_id = ?",
            false => "UPDATE stock SET s_quantity = ? WHERE s_i_id = ? AND s_w_id = ?",
        },
        insert_line: "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, \
            ol_quantity, ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    }
}

/// Values that all lines of an order share.
struct Order {
    district: DistrictKey,
    number: u32,
    /// Factor of each line's amount.
    factor: f64,
}

/// Statements of a new order.
pub(crate) struct NewOrderStatements {
    profile: Profile,
    sql: NewOrderSql,
    /// Statements by district: each district reads a column of its own.
    stock: Vec<Statement>,
}

impl NewOrderStatements {
    pub(crate) fn new(profile: Profile) -> Self {
        Self {
            profile,
            sql: NewOrderSql::new(profile),
            stock: (1..=DISTRICTS).map(stock).collect(),
        }
    }

    pub(crate) fn statements_mut(&mut self) -> Vec<&mut Statement> {
        let mut all = self.sql.statements_mut();
        all.extend(&mut self.stock);
        all
    }

    /// Enters the order. Returns that it must be rolled back if an item does not exist.
    pub(crate) async fn run(&self, conn: &mut Conn, input: &NewOrderInput) -> mysql_async::Result<Issued> {
        let order = self.insert_head(conn, input).await?;
        for (number, line) in (1..).zip(&input.lines) {
            if self.add_line(conn, &order, number, line).await? == Issued::RolledBack {
                return Ok(Issued::RolledBack);
            }
        }
        Ok(Issued::Done)
    }

    async fn insert_head(&self, conn: &mut Conn, input: &NewOrderInput) -> mysql_async::Result<Order> {
        let district = input.district;
        let (w, d) = (Value::from(district.warehouse), Value::from(district.district));
        let customer = vec![w.clone(), d.clone(), input.customer.into()];
        let (discount, _, _, w_tax): (f64, String, String, f64) =
            self.sql.customer.fetch_one(conn, customer).await?;
        let key = vec![w.clone(), d.clone()];
        let (number, d_tax): (u32, f64) = self.sql.district.fetch_one(conn, key).await?;
        let next = vec![(number + 1).into(), w.clone(), d.clone()];
        self.sql.update_district.execute(conn, next).await?;
        let order = vec![
            number.into(),
            d.clone(),
            w.clone(),
            input.customer.into(),
            input.lines.len().into(),
            u32::from(input.all_local).into(),
        ];
        self.sql.insert_order.execute(conn, order).await?;
        self.sql
            .insert_new_order
            .execute(conn, vec![number.into(), d, w])
            .await?;
        let factor = match self.profile.amount_includes_tax() {
            true => (1.0 + w_tax + d_tax) * (1.0 - discount),
            false => 1.0,
        };
        Ok(Order {
            district,
            number,
            factor,
        })
    }

    async fn add_line(
        &self,
        conn: &mut Conn,
        order: &Order,
        number: u32,
        line: &OrderLine,
    ) -> mysql_async::Result<Issued> {
        let DistrictKey { warehouse, district } = order.district;
        let item = self.sql.item.fetch_optional(conn, vec![line.item.into()]).await?;
        let Some((price, _, _)): Option<(String, String, String)> = item else {
            return Ok(Issued::RolledBack);
        };
        let stock = &self.stock[district as usize - 1];
        let key = vec![line.item.into(), line.supplier.into()];
        let (in_stock, _, info): (i64, String, String) = stock.fetch_one(conn, key).await?;
        let left = quantity_left(in_stock, line.quantity);
        let update = self.stock_values(left, line, line.supplier != warehouse);
        self.sql.update_stock.execute(conn, update).await?;
        let price = required(cents(&price))?;
        let cost = (price * i64::from(line.quantity)) as f64 * order.factor;
        let values = vec![
            order.number.into(),
            district.into(),
            warehouse.into(),
            number.into(),
            line.item.into(),
            line.supplier.into(),
            line.quantity.into(),
            // At most 10 times 100.00, and a tax.
            amount(cost.round() as i64).into(),
            info.into(),
        ];
        self.sql.insert_line.execute(conn, values).await?;
        Ok(Issued::Done)
    }

    /// Returns the values of `update_stock`.
    fn stock_values(&self, left: i64, line: &OrderLine, remote: bool) -> Vec<Value> {
        let mut values = vec![left.into()];
        if self.profile.updates_counters() {
            values.extend([line.quantity.into(), u32::from(remote).into()]);
        }
        values.extend([line.item.into(), line.supplier.into()]);
        values
    }
}

fn stock(district: u32) -> Statement {
    Statement::text(format!(
        "SELECT s_quantity, s_data, s_dist_{district:02} FROM stock WHERE s_i_id = ? AND s_w_id = ? FOR UPDATE"
    ))
}

/// Returns the stock after an order of `quantity`, refilled where it would be low.
fn quantity_left(in_stock: i64, quantity: u32) -> i64 {
    let left = in_stock - i64::from(quantity);
    if left >= LOW_STOCK { left } else { left + REFILL }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_stock_is_refilled() {
        let left = [(20, 10), (19, 10), (10, 1)].map(|(stock, quantity)| quantity_left(stock, quantity));
        assert_eq!(left, [10, 100, 100]);
    }
}
