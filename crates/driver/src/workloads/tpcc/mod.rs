//! The TPC-C-like workload: a wholesaler with warehouses, ten districts each, and terminals that enter orders and
//! payments.
//!
//! It follows the TPC-C specification (revision 5.11) in tables, population, transactions, random values and mix. It is
//! not a TPC-C benchmark, and its results are none: there is no audit, no terminals' screens, and no rule of response
//! times. [`Profile`] says in what other programs differ.

pub(crate) mod connection;
mod consistency;
mod inputs;
pub(crate) mod load;
mod load_customers;
pub(crate) mod load_orders;
mod money;
mod names;
mod nurand;
pub(crate) mod options;
pub(crate) mod profile;
mod random_text;
pub(crate) mod schema;
mod think_time;
mod transactions;

pub use consistency::{CheckError, Condition, check};
pub use inputs::Transaction;
pub use options::{Homes, Tpcc, TpccOptions};
pub use profile::Profile;
pub use schema::TABLES;

pub(crate) use load::{parts, total_rows};
pub(crate) use load_orders::order_ids;
pub(crate) use options::NAME;
pub(crate) use schema::create_tables;
