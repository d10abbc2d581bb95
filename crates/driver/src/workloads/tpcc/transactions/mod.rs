//! Statements of each transaction.

mod customer_lookup;
mod delivery;
mod new_order;
mod order_status;
mod payment;
pub(crate) mod statements;
mod stock_level;

use crate::client::Conn;
use crate::workloads::Issued;
use crate::workloads::statement::Statement;
use crate::workloads::tpcc::inputs::TransactionInput;
use crate::workloads::tpcc::profile::Profile;
use crate::workloads::tpcc::transactions::delivery::DeliveryStatements;
use crate::workloads::tpcc::transactions::new_order::NewOrderStatements;
use crate::workloads::tpcc::transactions::order_status::OrderStatusStatements;
use crate::workloads::tpcc::transactions::payment::PaymentStatements;
use crate::workloads::tpcc::transactions::stock_level::StockLevelStatements;

/// Statements of all transactions, which the client sends one by one.
pub(crate) struct TransactionStatements {
    profile: Profile,
    new_order: NewOrderStatements,
    payment: PaymentStatements,
    order_status: OrderStatusStatements,
    delivery: DeliveryStatements,
    stock_level: StockLevelStatements,
}

impl TransactionStatements {
    /// Returns statements that are all sent as text.
    pub(crate) fn new(profile: Profile) -> Self {
        Self {
            profile,
            new_order: NewOrderStatements::new(profile),
            payment: PaymentStatements::new(profile),
            order_status: OrderStatusStatements::new(),
            delivery: DeliveryStatements::new(),
            stock_level: StockLevelStatements::new(),
        }
    }

    pub(crate) fn statements_mut(&mut self) -> Vec<&mut Statement> {
        [
            self.new_order.statements_mut(),
            self.payment.statements_mut(),
            self.order_status.statements_mut(),
            self.delivery.statements_mut(),
            self.stock_level.statements_mut(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Does the work of a transaction. Returns whether the transaction must be rolled back.
    pub(crate) async fn run(&self, conn: &mut Conn, input: &TransactionInput) -> mysql_async::Result<Issued> {
        let profile = self.profile;
        match input {
            TransactionInput::NewOrder(input) => return self.new_order.run(conn, input).await,
            TransactionInput::Payment(input) => self.payment.run(profile, conn, input).await?,
            TransactionInput::OrderStatus { customer } => {
                self.order_status.run(profile, conn, customer).await?;
            }
            TransactionInput::Delivery { warehouse, carrier } => {
                self.delivery.run(conn, *warehouse, *carrier).await?;
            }
            TransactionInput::StockLevel { district, threshold } => {
                self.stock_level.run(conn, *district, *threshold).await?;
            }
        }
        Ok(Issued::Done)
    }
}
