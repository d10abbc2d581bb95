//! Payment (clause 2.5): a customer pays.

use mysql_async::Value;

use crate::client::connection::Conn;
use crate::workloads::statement::Ready;

use crate::workloads::tpcc::connection::found;
use crate::workloads::tpcc::inputs::Payment;
use crate::workloads::tpcc::money::amount;
use crate::workloads::tpcc::profile::Profile;
use crate::workloads::tpcc::transactions::customer_lookup::Customers;

/// Characters of a customer's data.
const LONGEST_DATA: usize = 500;

/// Its statements.
pub(crate) struct Payments {
    to_warehouse: Ready,
    warehouse: Ready,
    to_district: Ready,
    district: Ready,
    customers: Customers,
    customer: Ready,
    data: Ready,
    to_customer: Ready,
    to_bad_customer: Ready,
    history: Ready,
}

impl Payments {
    pub(crate) fn new(profile: Profile) -> Self {
        let counted = match profile.keeps_counts() {
            true => ", c_payment_cnt = c_payment_cnt + 1",
            false => "",
        };
        let pay = |data: &str| {
            Ready::text(&format!(
                "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?{counted}{data} \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
            ))
        };
        Self {
            to_warehouse: Ready::text("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?"),
            warehouse: Ready::text(
                "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse WHERE w_id = ?",
            ),
            to_district: Ready::text("UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?"),
            district: Ready::text(
                "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district \
                 WHERE d_w_id = ? AND d_id = ?",
            ),
            customers: Customers::new(profile),
            customer: Ready::text(
                "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, \
                 c_phone, c_credit_lim, c_discount, c_balance, c_since FROM customer \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE",
            ),
            data: Ready::text("SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"),
            to_customer: pay(""),
            to_bad_customer: pay(", c_data = ?"),
            history: Ready::text(
                "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) \
                 VALUES (?, ?, ?, ?, ?, NOW(), ?, ?)",
            ),
        }
    }

    pub(crate) fn each(&mut self) -> Vec<&mut Ready> {
        let mut all = vec![
            &mut self.to_warehouse,
            &mut self.warehouse,
            &mut self.to_district,
            &mut self.district,
            &mut self.customer,
            &mut self.data,
            &mut self.to_customer,
            &mut self.to_bad_customer,
            &mut self.history,
        ];
        all.extend(self.customers.each());
        all
    }

    pub(crate) async fn run(&self, conn: &mut Conn, input: &Payment) -> mysql_async::Result<()> {
        let paid = Value::from(amount(input.cents.into()));
        let (w, d) = (Value::from(input.at.warehouse), Value::from(input.at.district));
        self.to_warehouse
            .send(conn, vec![paid.clone(), w.clone()])
            .await?;
        let w_name = name(&self.warehouse, conn, vec![w.clone()]).await?;
        self.to_district
            .send(conn, vec![paid.clone(), w.clone(), d.clone()])
            .await?;
        let d_name = name(&self.district, conn, vec![w.clone(), d.clone()]).await?;
        let customer = self.customers.key(conn, &input.customer).await?;
        self.pay(conn, input, &paid, &customer).await?;
        let [c_w, c_d, c] = customer;
        let history = vec![c_d, c_w, c, d, w, paid, format!("{w_name}    {d_name}").into()];
        self.history.send(conn, history).await
    }

    async fn pay(
        &self,
        conn: &mut Conn,
        input: &Payment,
        paid: &Value,
        customer: &[Value; 3],
    ) -> mysql_async::Result<()> {
        let row: Option<mysql_async::Row> = self.customer.first(conn, customer.to_vec()).await?;
        let credit: String = found(found(row)?.get(0))?;
        let mut values = vec![paid.clone(), paid.clone()];
        if credit != "BC" {
            values.extend_from_slice(customer);
            return self.to_customer.send(conn, values).await;
        }
        let data: String = found(self.data.first(conn, customer.to_vec()).await?)?;
        values.push(noted(input, customer, &data).into());
        values.extend_from_slice(customer);
        self.to_bad_customer.send(conn, values).await
    }
}

/// The name of a warehouse or district, which is told last.
async fn name(statement: &Ready, conn: &mut Conn, key: Vec<Value>) -> mysql_async::Result<String> {
    type Told = (String, String, String, String, String, String);
    let (.., name): Told = found(statement.first(conn, key).await?)?;
    Ok(name)
}

/// The data of a customer with bad credit: this payment before those noted earlier.
fn noted(input: &Payment, customer: &[Value; 3], data: &str) -> String {
    let [c_w, c_d, c] = customer.each_ref().map(|value| value.as_sql(true));
    let (w, d) = (input.at.warehouse, input.at.district);
    let paid = amount(input.cents.into());
    let mut noted = format!("{c} {c_d} {c_w} {d} {w} {paid} {data}");
    // All of it is ASCII.
    noted.truncate(LONGEST_DATA);
    noted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::tpcc::inputs::{Customer, Known, Place};

    #[test]
    fn the_newest_payment_is_noted_first_and_the_oldest_are_lost() {
        let at = Place {
            warehouse: 1,
            district: 2,
        };
        let input = Payment {
            at,
            customer: Customer {
                of: at,
                known: Known::Number(7),
            },
            cents: 12_345,
        };
        let noted = noted(&input, &[1.into(), 2.into(), 7.into()], &"x".repeat(500));
        assert!(noted.starts_with("7 2 1 2 1 123.45 xxx"), "{noted}");
        assert_eq!(noted.len(), 500);
    }
}
