//! Payment (clause 2.5): a customer pays.

use mysql_async::{Row, Value};

use crate::client::Conn;
use crate::workloads::statement::{Statement, required};
use crate::workloads::tpcc::inputs::PaymentInput;
use crate::workloads::tpcc::money::amount;
use crate::workloads::tpcc::profile::Profile;
use crate::workloads::tpcc::transactions::customer_lookup::{BY_LAST_NAME, customer_key};
use crate::workloads::tpcc::transactions::statements::statements;

/// Length of `c_data` in characters.
const MAX_DATA: usize = 500;

statements! {
    /// Statements of a payment.
    struct PaymentStatements(profile: Profile) {
        update_warehouse: "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?",
        warehouse: "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse WHERE w_id = ?",
        update_district: "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?",
        district: "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district \
            WHERE d_w_id = ? AND d_id = ?",
        customer: "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, \
            c_phone, c_credit_lim, c_discount, c_balance, c_since FROM customer \
            WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE",
        data: "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        by_last_name: BY_LAST_NAME,
        update_customer: update_customer(profile, ""),
        update_bad_credit: update_customer(profile, ", c_data = ?"),
        insert_history: "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) \
            VALUES (?, ?, ?, ?, ?, NOW(), ?, ?)",
    }
}

impl PaymentStatements {
    pub(crate) async fn run(
        &self,
        profile: Profile,
        conn: &mut Conn,
        input: &PaymentInput,
    ) -> mysql_async::Result<()> {
        let paid = Value::from(amount(input.cents.into()));
        let (w, d) = (
            Value::from(input.district.warehouse),
            Value::from(input.district.district),
        );
        self.update_warehouse
            .execute(conn, vec![paid.clone(), w.clone()])
            .await?;
        let w_name = name(&self.warehouse, conn, vec![w.clone()]).await?;
        self.update_district
            .execute(conn, vec![paid.clone(), w.clone(), d.clone()])
            .await?;
        let d_name = name(&self.district, conn, vec![w.clone(), d.clone()]).await?;
        let customer = customer_key(&self.by_last_name, profile, conn, &input.customer).await?;
        self.pay(conn, input, &paid, &customer).await?;
        let [c_w, c_d, c] = customer;
        let history = vec![c_d, c_w, c, d, w, paid, format!("{w_name}    {d_name}").into()];
        self.insert_history.execute(conn, history).await
    }

    async fn pay(
        &self,
        conn: &mut Conn,
        input: &PaymentInput,
        paid: &Value,
        customer: &[Value; 3],
    ) -> mysql_async::Result<()> {
        // It has more columns than a tuple can take.
        let row: Row = self.customer.fetch_one(conn, customer.to_vec()).await?;
        let credit: String = required(row.get(0))?;
        let mut values = vec![paid.clone(), paid.clone()];
        if credit != "BC" {
            values.extend_from_slice(customer);
            return self.update_customer.execute(conn, values).await;
        }
        let data: String = self.data.fetch_one(conn, customer.to_vec()).await?;
        values.push(data_with(input, customer, &data).into());
        values.extend_from_slice(customer);
        self.update_bad_credit.execute(conn, values).await
    }
}

/// Returns the statement that charges a payment to a customer. Customers with bad credit have their payments in `data`.
fn update_customer(profile: Profile, data: &str) -> String {
    let counter = match profile.updates_counters() {
        true => ", c_payment_cnt = c_payment_cnt + 1",
        false => "",
    };
    format!(
        "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?{counter}{data} \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
    )
}

/// Returns the name of a warehouse or district, which is the last column.
async fn name(statement: &Statement, conn: &mut Conn, key: Vec<Value>) -> mysql_async::Result<String> {
    type Columns = (String, String, String, String, String, String);
    let (.., name): Columns = statement.fetch_one(conn, key).await?;
    Ok(name)
}

/// Returns the data of a customer with bad credit: this payment, then the earlier ones.
fn data_with(input: &PaymentInput, customer: &[Value; 3], data: &str) -> String {
    let [c_w, c_d, c] = customer.each_ref().map(|value| value.as_sql(true));
    let (w, d) = (input.district.warehouse, input.district.district);
    let paid = amount(input.cents.into());
    let mut data = format!("{c} {c_d} {c_w} {d} {w} {paid} {data}");
    // All of it is ASCII.
    data.truncate(MAX_DATA);
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::tpcc::inputs::{Customer, CustomerKey, DistrictKey};

    #[test]
    fn the_newest_payment_comes_first_and_the_oldest_are_cut() {
        let district = DistrictKey {
            warehouse: 1,
            district: 2,
        };
        let input = PaymentInput {
            district,
            customer: Customer {
                district,
                key: CustomerKey::Number(7),
            },
            cents: 12_345,
        };
        let data = data_with(&input, &[1.into(), 2.into(), 7.into()], &"x".repeat(500));
        assert!(data.starts_with("7 2 1 2 1 123.45 xxx"), "{data}");
        assert_eq!(data.len(), 500);
    }
}
