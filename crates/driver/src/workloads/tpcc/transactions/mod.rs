//! Statements of each transaction.

mod customer_lookup;
mod delivery;
mod new_order;
mod order_status;
mod payment;
pub(crate) mod statements;
mod stock_level;
pub(crate) mod transaction_statements;
