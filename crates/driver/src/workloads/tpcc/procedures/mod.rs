//! Stored procedures of the transactions, which DBT2 calls.

pub(crate) mod definitions;

use mysql_async::Value;

use crate::client::Conn;
use crate::workloads::Issued;
use crate::workloads::tpcc::inputs::{
    Customer, CustomerKey, DistrictKey, NewOrderInput, PaymentInput, TransactionInput,
};
use crate::workloads::tpcc::money::amount;
use crate::workloads::tpcc::options::MAX_ORDER_LINES;
use crate::workloads::tpcc::transactions::statements::statements;

/// Number of lines that a call has values for.
const LINES: usize = MAX_ORDER_LINES as usize;

statements! {
    /// Calls of the procedures, and the statements that read what they return.
    struct ProcedureCalls() {
        new_order: format!("CALL new_order(?, ?, ?, ?, ?{}, @rolled_back)", ", ?, ?, ?".repeat(LINES)),
        rolled_back: "SELECT @rolled_back",
        payment: "CALL payment(?, ?, ?, ?, ?, ?, ?)",
        order_status: "CALL order_status(?, ?, ?, ?)",
        delivery: "CALL delivery(?, ?)",
        stock_level: "CALL stock_level(?, ?, ?, @low_stock)",
        low_stock: "SELECT @low_stock",
    }
}

impl ProcedureCalls {
    /// Does the work of a transaction. Returns whether the transaction must be rolled back.
    pub(crate) async fn run(&self, conn: &mut Conn, input: &TransactionInput) -> mysql_async::Result<Issued> {
        match input {
            TransactionInput::NewOrder(input) => return self.new_order(conn, input).await,
            TransactionInput::Payment(input) => self.payment.execute(conn, payment_values(input)).await?,
            TransactionInput::OrderStatus { customer } => {
                self.order_status.execute(conn, customer_values(customer)).await?;
            }
            TransactionInput::Delivery { warehouse, carrier } => {
                let values = vec![warehouse.into(), carrier.into()];
                self.delivery.execute(conn, values).await?;
            }
            TransactionInput::StockLevel { district, threshold } => {
                let values = [&district_values(*district)[..], &[threshold.into()]].concat();
                self.stock_level.execute(conn, values).await?;
                self.low_stock.execute(conn, Vec::new()).await?;
            }
        }
        Ok(Issued::Done)
    }

    async fn new_order(&self, conn: &mut Conn, input: &NewOrderInput) -> mysql_async::Result<Issued> {
        self.new_order.execute(conn, new_order_values(input)).await?;
        let rolled_back: u8 = self.rolled_back.fetch_one(conn, Vec::new()).await?;
        Ok(match rolled_back {
            0 => Issued::Done,
            _ => Issued::RolledBack,
        })
    }
}

/// Returns the values of a new order. Lines that the order does not have are 0.
fn new_order_values(input: &NewOrderInput) -> Vec<Value> {
    let mut values = district_values(input.district).to_vec();
    values.extend([
        input.customer.into(),
        input.lines.len().into(),
        u32::from(input.all_local).into(),
    ]);
    let lines = input.lines.iter();
    values.extend(lines.flat_map(|line| [line.item, line.supplier, line.quantity].map(Value::from)));
    values.resize(5 + 3 * LINES, 0.into());
    values
}

fn payment_values(input: &PaymentInput) -> Vec<Value> {
    let mut values = district_values(input.district).to_vec();
    values.extend(customer_values(&input.customer));
    values.push(amount(input.cents.into()).into());
    values
}

/// Returns the district of a customer, the number or 0, and the last name if there is no number.
fn customer_values(customer: &Customer) -> Vec<Value> {
    let (number, name) = match &customer.key {
        CustomerKey::Number(number) => (*number, ""),
        CustomerKey::LastName(name) => (0, name.as_str()),
    };
    let mut values = district_values(customer.district).to_vec();
    values.extend([number.into(), name.into()]);
    values
}

fn district_values(key: DistrictKey) -> [Value; 2] {
    [key.warehouse.into(), key.district.into()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::statement::Statement;
    use crate::workloads::tpcc::inputs::OrderLine;

    const DISTRICT: DistrictKey = DistrictKey {
        warehouse: 1,
        district: 2,
    };

    #[test]
    fn an_order_has_a_value_for_each_parameter() {
        let line = OrderLine {
            item: 7,
            supplier: 1,
            quantity: 3,
        };
        let input = NewOrderInput {
            district: DISTRICT,
            customer: 4,
            lines: vec![line; 6],
            all_local: true,
        };
        let values = new_order_values(&input);
        let expected = [1_u32, 2, 4, 6, 1, 7, 1, 3].map(Value::from);
        assert_eq!((values.len(), &values[..8]), (50, &expected[..]));
        assert_eq!(values[23..], vec![Value::from(0); 27]);
        let Statement::Text(sql) = ProcedureCalls::new().new_order else {
            panic!("it is prepared");
        };
        assert_eq!(sql.matches('?').count(), values.len());
    }

    #[test]
    fn a_customer_has_a_number_or_a_name() {
        let values = |key| {
            let district = DISTRICT;
            customer_values(&Customer { district, key })[2..].to_vec()
        };
        assert_eq!(values(CustomerKey::Number(9)), [9_u32.into(), "".into()]);
        let name = CustomerKey::LastName("BAR".to_owned());
        assert_eq!(values(name), [0_u32.into(), "BAR".into()]);
    }
}
