//! New order (clause 2.4): a customer orders some items.

use mysql_async::Value;

use crate::client::connection::Conn;
use crate::workloads::statement::Ready;
use crate::workloads::workload::Issued;

use crate::workloads::tpcc::connection::found;
use crate::workloads::tpcc::inputs::{Line, NewOrder, Place};
use crate::workloads::tpcc::money::{amount, cents};
use crate::workloads::tpcc::options::DISTRICTS;
use crate::workloads::tpcc::profile::Profile;

/// Stock is filled up below this.
const LOW_STOCK: i64 = 10;
/// By this much.
const REFILL: i64 = 91;

/// Its statements.
pub(crate) struct NewOrders {
    with_tax: bool,
    keeps_counts: bool,
    customer: Ready,
    district: Ready,
    next_number: Ready,
    order: Ready,
    new_order: Ready,
    item: Ready,
    /// By district: each has its own text in the stock.
    stock: Vec<Ready>,
    take: Ready,
    line: Ready,
}

/// What all lines of an order have in common.
struct Order {
    at: Place,
    number: u32,
    /// What an amount is multiplied with.
    factor: f64,
}

impl NewOrders {
    pub(crate) fn new(profile: Profile) -> Self {
        let keeps_counts = profile.keeps_counts();
        Self {
            with_tax: profile.amounts_with_tax(),
            keeps_counts,
            customer: Ready::text(
                "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse \
                 WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?",
            ),
            district: Ready::text(
                "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE",
            ),
            next_number: Ready::text("UPDATE district SET d_next_o_id = ? WHERE d_w_id = ? AND d_id = ?"),
            order: Ready::text(
                "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) \
                 VALUES (?, ?, ?, ?, NOW(), ?, ?)",
            ),
            new_order: Ready::text("INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)"),
            item: Ready::text("SELECT i_price, i_name, i_data FROM item WHERE i_id = ?"),
            stock: (1..=DISTRICTS).map(stock).collect(),
            take: Ready::text(match keeps_counts {
                true => {
                    "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, \
                     s_remote_cnt = s_remote_cnt + ? WHERE s_i_id = ? AND s_w_id = ?"
                }
                false => "UPDATE stock SET s_quantity = ? WHERE s_i_id = ? AND s_w_id = ?",
            }),
            line: Ready::text(
                "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, \
                 ol_quantity, ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ),
        }
    }

    pub(crate) fn each(&mut self) -> Vec<&mut Ready> {
        let mut all = vec![
            &mut self.customer,
            &mut self.district,
            &mut self.next_number,
            &mut self.order,
            &mut self.new_order,
            &mut self.item,
            &mut self.take,
            &mut self.line,
        ];
        all.extend(&mut self.stock);
        all
    }

    /// Rolled back where an item does not exist.
    pub(crate) async fn run(&self, conn: &mut Conn, input: &NewOrder) -> mysql_async::Result<Issued> {
        let order = self.begin_order(conn, input).await?;
        for (number, line) in (1..).zip(&input.lines) {
            if self.add(conn, &order, number, line).await? == Issued::RolledBack {
                return Ok(Issued::RolledBack);
            }
        }
        Ok(Issued::Done)
    }

    async fn begin_order(&self, conn: &mut Conn, input: &NewOrder) -> mysql_async::Result<Order> {
        let at = input.at;
        let (w, d) = (Value::from(at.warehouse), Value::from(at.district));
        let customer = vec![w.clone(), d.clone(), input.customer.into()];
        let (discount, _, _, w_tax): (f64, String, String, f64) =
            found(self.customer.first(conn, customer).await?)?;
        let district = vec![w.clone(), d.clone()];
        let (number, d_tax): (u32, f64) = found(self.district.first(conn, district).await?)?;
        let next = vec![(number + 1).into(), w.clone(), d.clone()];
        self.next_number.send(conn, next).await?;
        let count = input.lines.len();
        let order = vec![
            number.into(),
            d.clone(),
            w.clone(),
            input.customer.into(),
            count.into(),
            u32::from(input.all_local).into(),
        ];
        self.order.send(conn, order).await?;
        self.new_order.send(conn, vec![number.into(), d, w]).await?;
        let factor = match self.with_tax {
            true => (1.0 + w_tax + d_tax) * (1.0 - discount),
            false => 1.0,
        };
        Ok(Order { at, number, factor })
    }

    async fn add(
        &self,
        conn: &mut Conn,
        order: &Order,
        number: u32,
        line: &Line,
    ) -> mysql_async::Result<Issued> {
        let Place { warehouse, district } = order.at;
        let item = self.item.first(conn, vec![line.item.into()]).await?;
        let Some((price, _, _)): Option<(String, String, String)> = item else {
            return Ok(Issued::RolledBack);
        };
        let stock = &self.stock[district as usize - 1];
        let of = vec![line.item.into(), line.supplier.into()];
        let (stocked, _, info): (i64, String, String) = found(stock.first(conn, of).await?)?;
        let take = self.take_values(left(stocked, line.quantity), line, line.supplier != warehouse);
        self.take.send(conn, take).await?;
        let price = found(cents(&price))?;
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
        self.line.send(conn, values).await?;
        Ok(Issued::Done)
    }

    fn take_values(&self, left: i64, line: &Line, remote: bool) -> Vec<Value> {
        let mut values = vec![left.into()];
        if self.keeps_counts {
            values.extend([line.quantity.into(), u32::from(remote).into()]);
        }
        values.extend([line.item.into(), line.supplier.into()]);
        values
    }
}

fn stock(district: u32) -> Ready {
    Ready::text(&format!(
        "SELECT s_quantity, s_data, s_dist_{district:02} FROM stock WHERE s_i_id = ? AND s_w_id = ? FOR UPDATE"
    ))
}

/// What is left in stock.
fn left(stocked: i64, quantity: u32) -> i64 {
    let left = stocked - i64::from(quantity);
    if left >= LOW_STOCK { left } else { left + REFILL }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_stock_is_filled_up() {
        assert_eq!([left(20, 10), left(19, 10), left(10, 1)], [10, 100, 100]);
    }
}
