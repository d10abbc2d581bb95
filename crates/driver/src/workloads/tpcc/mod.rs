//! TPC-C-like workload: a wholesaler with warehouses of ten districts each, and terminals that enter orders and payments.
//!
//! Tables, population, transactions, random values and mix follow the TPC-C specification (revision 5.11). It is not a
//! TPC-C benchmark: there is no audit, terminals have no screens, and there are no rules for response times. [`Profile`]
//! has the deviations of other programs.

pub(crate) mod connection;
mod consistency;
mod inputs;
pub(crate) mod load;
mod load_customers;
pub(crate) mod load_orders;
mod money;
mod nurand;
pub(crate) mod options;
pub(crate) mod procedures;
pub(crate) mod profile;
mod random_text;
pub(crate) mod schema;
mod think_time;
pub(crate) mod transaction_type;
mod transactions;

pub use consistency::{Condition, check};
pub use options::{HomeWarehouse, Tpcc, TpccOptions};
pub use profile::Profile;
pub use schema::TABLES;
pub use transaction_type::TransactionType;
