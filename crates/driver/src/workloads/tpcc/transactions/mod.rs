//! Statements of each transaction.

mod customer_lookup;
pub(crate) mod delivery;
pub(crate) mod new_order;
pub(crate) mod order_status;
pub(crate) mod payment;
mod statements;
pub(crate) mod stock_level;
