//! A connection that issues the transactions of terminals.

use std::cell::RefCell;
use std::time::Duration;

use mysql_async::{Error, ServerError};

use crate::client::connection::Conn;
use crate::util::random::{Xoshiro256PlusPlus, below};
use crate::workloads::protocol::Protocol;
use crate::workloads::request_values::Draw;
use crate::workloads::statement::Ready;
use crate::workloads::workload::{Issued, Workload, WorkloadContext};

use crate::workloads::tpcc::inputs::{Input, Place, Transaction};
use crate::workloads::tpcc::options::{DISTRICTS, Homes, Tpcc};
use crate::workloads::tpcc::think_time::User;
use crate::workloads::tpcc::transactions::delivery::Deliveries;
use crate::workloads::tpcc::transactions::new_order::NewOrders;
use crate::workloads::tpcc::transactions::order_status::OrderStatus;
use crate::workloads::tpcc::transactions::payment::Payments;
use crate::workloads::tpcc::transactions::stock_level::StockLevels;

/// `ER_KEY_NOT_FOUND`.
const NOT_FOUND: u16 = 1032;

/// The statements of all transactions, ready on one connection.
pub(crate) struct Terminal {
    tpcc: Tpcc,
    /// Where the connection is at home, where it is one terminal.
    home: Option<Place>,
    user: Option<RefCell<User>>,
    begin: Ready,
    commit: Ready,
    rollback: Ready,
    new_orders: NewOrders,
    payments: Payments,
    order_status: OrderStatus,
    deliveries: Deliveries,
    stock_levels: StockLevels,
}

impl Workload for Terminal {
    type Content = Tpcc;
    type Values = (Transaction, Input);

    async fn prepare(conn: &mut Conn, tpcc: &Tpcc, context: &WorkloadContext) -> mysql_async::Result<Self> {
        // There are at most as many connections as file descriptors.
        let mut terminal = Self::as_text(*tpcc, context.connection as u32, context.dataset.seed);
        if context.protocol == Protocol::Prepared {
            for statement in terminal.each() {
                statement.prepare(conn).await?;
            }
        }
        Ok(terminal)
    }

    fn pause(&self) -> Option<Duration> {
        Some(self.user.as_ref()?.borrow_mut().pause())
    }

    fn draw(&self, draw: &mut Draw) -> (Transaction, Input) {
        let rng = draw.rng();
        let home = self
            .home
            .unwrap_or_else(|| any_terminal(self.tpcc.warehouses, rng));
        let transaction = match &self.user {
            Some(user) => user.borrow().next(),
            None => Transaction::draw(self.tpcc.profile, rng),
        };
        (transaction, self.tpcc.draw(transaction, home, rng))
    }

    fn kind(&self, (transaction, _): &(Transaction, Input)) -> Option<usize> {
        Some(*transaction as usize)
    }

    async fn issue(&self, conn: &mut Conn, (_, input): &(Transaction, Input)) -> mysql_async::Result<Issued> {
        let done = self.transact(conn, input).await;
        self.rollback.if_refused(conn, done).await
    }
}

impl Terminal {
    /// With every statement to be sent as text.
    fn as_text(tpcc: Tpcc, connection: u32, seed: u64) -> Self {
        let profile = tpcc.profile;
        let home = (tpcc.homes == Homes::Connection).then(|| home(tpcc.warehouses, connection));
        let user = || RefCell::new(User::new(profile, seed, connection));
        Self {
            tpcc,
            home,
            user: tpcc.keying_times.then(user),
            begin: Ready::text("BEGIN"),
            commit: Ready::text("COMMIT"),
            rollback: Ready::text("ROLLBACK"),
            new_orders: NewOrders::new(profile),
            payments: Payments::new(profile),
            order_status: OrderStatus::new(profile),
            deliveries: Deliveries::new(),
            stock_levels: StockLevels::new(),
        }
    }

    /// Statements of one connection.
    pub(crate) fn statements(tpcc: Tpcc) -> usize {
        Self::as_text(tpcc, 0, 0).each().count()
    }

    fn each(&mut self) -> impl Iterator<Item = &mut Ready> {
        let edges = vec![&mut self.begin, &mut self.commit, &mut self.rollback];
        [
            edges,
            self.new_orders.each(),
            self.payments.each(),
            self.order_status.each(),
            self.deliveries.each(),
            self.stock_levels.each(),
        ]
        .into_iter()
        .flatten()
    }

    async fn transact(&self, conn: &mut Conn, input: &Input) -> mysql_async::Result<Issued> {
        self.begin.send(conn, Vec::new()).await?;
        let issued = self.work(conn, input).await?;
        let end = match issued {
            Issued::Done => &self.commit,
            Issued::RolledBack => &self.rollback,
        };
        end.send(conn, Vec::new()).await?;
        Ok(issued)
    }

    async fn work(&self, conn: &mut Conn, input: &Input) -> mysql_async::Result<Issued> {
        match input {
            Input::NewOrder(order) => return self.new_orders.run(conn, order).await,
            Input::Payment(payment) => self.payments.run(conn, payment).await?,
            Input::OrderStatus { customer } => self.order_status.run(conn, customer).await?,
            Input::Delivery { warehouse, carrier } => self.deliveries.run(conn, *warehouse, *carrier).await?,
            Input::StockLevel { at, threshold } => self.stock_levels.run(conn, *at, *threshold).await?,
        }
        Ok(Issued::Done)
    }
}

/// What must be there, or the error that servers give for a row that is not.
pub(crate) fn found<T>(row: Option<T>) -> mysql_async::Result<T> {
    row.ok_or_else(|| {
        Error::Server(ServerError {
            code: NOT_FOUND,
            message: "a row of the TPC-C-like tables is missing".to_owned(),
            state: "HY000".to_owned(),
        })
    })
}

/// The terminal of a connection: the first ones are in the first district of each warehouse, and so on.
fn home(warehouses: u32, connection: u32) -> Place {
    Place {
        warehouse: connection % warehouses + 1,
        district: connection / warehouses % DISTRICTS + 1,
    }
}

/// One terminal of all, each alike.
fn any_terminal(warehouses: u32, rng: &mut Xoshiro256PlusPlus) -> Place {
    let terminals = u64::from(warehouses) * u64::from(DISTRICTS);
    // Below a u64 product of two u32, the first of which is a number of warehouses: there are no 400 million.
    home(warehouses, below(rng, terminals) as u32)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::util::test_fit::assert_fits;
    use crate::workloads::dataset::Dataset;
    use crate::workloads::tpcc::options::TpccOptions;
    use crate::workloads::tpcc::profile::Profile;

    fn terminal(profile: Profile, homes: Homes, connection: u32) -> Terminal {
        let options = TpccOptions {
            warehouses: Some(3),
            homes,
            ..TpccOptions::default()
        };
        Terminal::as_text(Tpcc::new(profile, options), connection, 1)
    }

    fn warehouse(input: &Input) -> u32 {
        match input {
            Input::NewOrder(order) => order.at.warehouse,
            Input::Payment(payment) => payment.at.warehouse,
            Input::OrderStatus { customer } => customer.of.warehouse,
            Input::Delivery { warehouse, .. } => *warehouse,
            Input::StockLevel { at, .. } => at.warehouse,
        }
    }

    #[test]
    fn requests_are_at_home_everywhere_or_where_their_connection_is() {
        let (mut warehouses, mut kinds) = ([0; 3], [0; 5]);
        let anywhere = terminal(Profile::Specification, Homes::Request, 1);
        let settled = terminal(Profile::Specification, Homes::Connection, 1);
        let of_sysbench = terminal(Profile::SysbenchTpcc, Homes::Connection, 1);
        let (mut of_others, mut kinds_of_sysbench) = (BTreeSet::new(), [0; 5]);
        for number in 0..30_000 {
            let draw = || Draw::request(Dataset::UNUSED, 9, number);
            let (transaction, input) = anywhere.draw(&mut draw());
            assert_eq!(
                anywhere.kind(&(transaction, input.clone())),
                Some(transaction as usize)
            );
            kinds[transaction as usize] += 1;
            warehouses[warehouse(&input) as usize - 1] += 1;
            assert_eq!(warehouse(&settled.draw(&mut draw()).1), 2);
            let (transaction, input) = of_sysbench.draw(&mut draw());
            kinds_of_sysbench[transaction as usize] += 1;
            of_others.insert(warehouse(&input));
        }
        assert_fits(&warehouses, &[1.0 / 3.0; 3]);
        assert_fits(&kinds, &[0.45, 0.43, 0.04, 0.04, 0.04]);
        assert_eq!(of_others.len(), 3, "sysbench-tpcc has no homes");
        assert_fits(
            &kinds_of_sysbench,
            &[10, 10, 1, 1, 1].map(|weight| f64::from(weight) / 23.0),
        );
    }

    #[test]
    fn terminals_are_spread_over_warehouses_and_districts() {
        let homes: Vec<(u32, u32)> = (0..30)
            .map(|connection| home(3, connection))
            .map(|place| (place.warehouse, place.district))
            .collect();
        assert_eq!(homes[..4], [(1, 1), (2, 1), (3, 1), (1, 2)]);
        assert_eq!(homes.iter().collect::<BTreeSet<_>>().len(), 30);
        assert_eq!(home(3, 30), home(3, 0));
    }
}
