//! TPC-C-like workload: a wholesaler with warehouses of ten districts each, and terminals that enter orders and payments.
//!
//! Tables, population, transactions, random values and mix follow the TPC-C specification (revision 5.11). It is not a
//! TPC-C benchmark: there is no audit, terminals have no screens, and there are no rules for response times. [`Profile`]
//! has the deviations of other programs.

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

pub use consistency::{CheckedCondition, check};
pub use options::{HomeWarehouse, TpccConfig, TpccOptions};
pub use profile::Profile;
pub use schema::TABLES;
pub use transaction_type::TransactionType;

use std::cell::RefCell;
use std::time::Duration;

use logtrace_common::random::{Xoshiro256PlusPlus, below};

use crate::client::Conn;
use crate::workloads::protocol::Protocol;
use crate::workloads::request_values::Draw;
use crate::workloads::statement::Statement;
use crate::workloads::tpcc::inputs::{DistrictKey, TransactionInput};
use crate::workloads::tpcc::options::DISTRICTS;
use crate::workloads::tpcc::procedures::ProcedureCalls;
use crate::workloads::tpcc::think_time::User;
use crate::workloads::tpcc::transactions::TransactionStatements;
use crate::workloads::transaction::Transaction;
use crate::workloads::{Issued, WorkloadConnection, WorkloadContext};

/// Statements of all transactions on one connection.
pub(crate) struct TpccConnection {
    tpcc: TpccConfig,
    /// District of the connection's terminal, if the connection is one terminal.
    home: Option<DistrictKey>,
    user: Option<RefCell<User>>,
    transaction: Transaction,
    work: TransactionWork,
}

/// Work of a transaction, between its begin and its end.
enum TransactionWork {
    /// Statements that the client sends one by one.
    Statements(Box<TransactionStatements>),
    /// Stored procedures that the client calls.
    Procedures(ProcedureCalls),
}

impl WorkloadConnection for TpccConnection {
    type Content = TpccConfig;
    type Values = (TransactionType, TransactionInput);

    async fn prepare(
        conn: &mut Conn,
        tpcc: &TpccConfig,
        context: &WorkloadContext,
    ) -> mysql_async::Result<Self> {
        // There are at most as many connections as file descriptors.
        let number = context.connection as u32;
        let mut connection = Self::as_text(*tpcc, number, context.dataset.seed, context.protocol);
        if context.protocol == Protocol::Prepared {
            for statement in connection.statements_mut() {
                statement.prepare(conn).await?;
            }
        }
        Ok(connection)
    }

    fn pause(&self) -> Option<Duration> {
        Some(self.user.as_ref()?.borrow_mut().pause())
    }

    fn draw(&self, draw: &mut Draw) -> (TransactionType, TransactionInput) {
        let rng = draw.rng();
        let home = self
            .home
            .unwrap_or_else(|| random_terminal(self.tpcc.warehouses, rng));
        let transaction = match &self.user {
            Some(user) => user.borrow().next(),
            None => TransactionType::draw(self.tpcc.profile, rng),
        };
        (transaction, self.tpcc.draw(transaction, home, rng))
    }

    fn kind(&self, (transaction, _): &(TransactionType, TransactionInput)) -> Option<usize> {
        Some(*transaction as usize)
    }

    async fn issue(
        &self,
        conn: &mut Conn,
        (_, input): &(TransactionType, TransactionInput),
    ) -> mysql_async::Result<Issued> {
        let work = async |conn: &mut Conn| self.work.run(conn, input).await;
        self.transaction.run(conn, work).await
    }
}

impl TpccConnection {
    /// Returns statements that are all sent as text.
    fn as_text(tpcc: TpccConfig, connection: u32, seed: u64, protocol: Protocol) -> Self {
        let profile = tpcc.profile;
        let has_home = tpcc.home == HomeWarehouse::PerConnection;
        let user = || RefCell::new(User::new(profile, seed, connection));
        Self {
            tpcc,
            home: has_home.then(|| terminal(tpcc.warehouses, connection)),
            user: tpcc.keying_times.then(user),
            transaction: Transaction::as_text(),
            work: TransactionWork::as_text(profile, protocol),
        }
    }

    /// Returns the number of statements that one connection prepares.
    pub(crate) fn prepared(tpcc: TpccConfig) -> usize {
        let mut connection = Self::as_text(tpcc, 0, 0, Protocol::Prepared);
        connection.statements_mut().count()
    }

    fn statements_mut(&mut self) -> impl Iterator<Item = &mut Statement> {
        let own = self.transaction.statements_mut();
        own.into_iter().chain(self.work.statements_mut())
    }
}

impl TransactionWork {
    fn as_text(profile: Profile, protocol: Protocol) -> Self {
        match protocol {
            Protocol::Procedures => Self::Procedures(ProcedureCalls::new()),
            Protocol::Prepared | Protocol::Text => {
                Self::Statements(Box::new(TransactionStatements::new(profile)))
            }
        }
    }

    fn statements_mut(&mut self) -> Vec<&mut Statement> {
        match self {
            Self::Statements(statements) => statements.statements_mut(),
            Self::Procedures(calls) => calls.statements_mut(),
        }
    }

    async fn run(&self, conn: &mut Conn, input: &TransactionInput) -> mysql_async::Result<Issued> {
        match self {
            Self::Statements(statements) => statements.run(conn, input).await,
            Self::Procedures(calls) => calls.run(conn, input).await,
        }
    }
}

/// Returns the terminal of this number: the first ones are in the first district of each warehouse, and so on.
fn terminal(warehouses: u32, number: u32) -> DistrictKey {
    DistrictKey {
        warehouse: number % warehouses + 1,
        district: number / warehouses % DISTRICTS + 1,
    }
}

/// Draws one of all terminals uniformly.
fn random_terminal(warehouses: u32, rng: &mut Xoshiro256PlusPlus) -> DistrictKey {
    let terminals = u64::from(warehouses) * u64::from(DISTRICTS);
    // It fits a u32: there are no 400 million warehouses.
    terminal(warehouses, below(rng, terminals) as u32)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::util::test_fit::assert_fits;
    use crate::workloads::dataset::Dataset;
    use crate::workloads::tpcc::options::TpccOptions;

    fn connection(profile: Profile, home: HomeWarehouse, number: u32) -> TpccConnection {
        let options = TpccOptions {
            warehouses: Some(3),
            home,
            ..TpccOptions::default()
        };
        TpccConnection::as_text(TpccConfig::new(profile, options), number, 1, Protocol::Prepared)
    }

    fn warehouse(input: &TransactionInput) -> u32 {
        match input {
            TransactionInput::NewOrder(order) => order.district.warehouse,
            TransactionInput::Payment(payment) => payment.district.warehouse,
            TransactionInput::OrderStatus { customer } => customer.district.warehouse,
            TransactionInput::Delivery { warehouse, .. } => *warehouse,
            TransactionInput::StockLevel { district, .. } => district.warehouse,
        }
    }

    #[test]
    fn home_warehouses_are_drawn_or_fixed_by_connection() {
        let (mut warehouses, mut kinds) = ([0; 3], [0; 5]);
        let per_request = connection(Profile::Specification, HomeWarehouse::PerRequest, 1);
        let per_connection = connection(Profile::Specification, HomeWarehouse::PerConnection, 1);
        let sysbench = connection(Profile::SysbenchTpcc, HomeWarehouse::PerConnection, 1);
        let (mut homes_of_sysbench, mut kinds_sysbench) = (BTreeSet::new(), [0; 5]);
        for number in 0..30_000 {
            let draw = || Draw::request(Dataset::UNUSED, 9, number);
            let (transaction, input) = per_request.draw(&mut draw());
            assert_eq!(
                per_request.kind(&(transaction, input.clone())),
                Some(transaction as usize)
            );
            kinds[transaction as usize] += 1;
            warehouses[warehouse(&input) as usize - 1] += 1;
            assert_eq!(warehouse(&per_connection.draw(&mut draw()).1), 2);
            let (transaction, input) = sysbench.draw(&mut draw());
            kinds_sysbench[transaction as usize] += 1;
            homes_of_sysbench.insert(warehouse(&input));
        }
        assert_fits(&warehouses, &[1.0 / 3.0; 3]);
        assert_fits(&kinds, &[0.45, 0.43, 0.04, 0.04, 0.04]);
        assert_eq!(homes_of_sysbench.len(), 3, "sysbench-tpcc has no home warehouses");
        assert_fits(
            &kinds_sysbench,
            &[10, 10, 1, 1, 1].map(|weight| f64::from(weight) / 23.0),
        );
    }

    #[test]
    fn terminals_are_spread_over_warehouses_and_districts() {
        let terminals: Vec<(u32, u32)> = (0..30)
            .map(|number| terminal(3, number))
            .map(|key| (key.warehouse, key.district))
            .collect();
        assert_eq!(terminals[..4], [(1, 1), (2, 1), (3, 1), (1, 2)]);
        assert_eq!(terminals.iter().collect::<BTreeSet<_>>().len(), 30);
        assert_eq!(terminal(3, 30), terminal(3, 0));
    }
}
