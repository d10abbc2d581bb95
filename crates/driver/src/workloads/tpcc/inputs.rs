//! Random inputs of transactions: what the user of a terminal enters (clauses 2.4.1 to 2.8.1).

use logtrace_common::random::{Rng, below};

use crate::workloads::tpcc::nurand;
use crate::workloads::tpcc::nurand::uniform;
use crate::workloads::tpcc::options::{DISTRICTS, ITEMS, MAX_ORDER_LINES, TpccConfig};
use crate::workloads::tpcc::random_text::last_name;
use crate::workloads::tpcc::transaction_type::TransactionType;

/// Primary key of a district.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DistrictKey {
    pub(crate) warehouse: u32,
    pub(crate) district: u32,
}

/// Input of one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TransactionInput {
    NewOrder(NewOrderInput),
    Payment(PaymentInput),
    OrderStatus { customer: Customer },
    Delivery { warehouse: u32, carrier: u32 },
    StockLevel { district: DistrictKey, threshold: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewOrderInput {
    pub(crate) district: DistrictKey,
    pub(crate) customer: u32,
    pub(crate) lines: Vec<OrderLine>,
    pub(crate) all_local: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OrderLine {
    pub(crate) item: u32,
    /// Warehouse that supplies the item.
    pub(crate) supplier: u32,
    pub(crate) quantity: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PaymentInput {
    pub(crate) district: DistrictKey,
    pub(crate) customer: Customer,
    pub(crate) cents: u32,
}

/// Customer of a district.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Customer {
    pub(crate) district: DistrictKey,
    pub(crate) key: CustomerKey,
}

/// Customer number or last name, as entered by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CustomerKey {
    Number(u32),
    LastName(String),
}

/// Number of an item that does not exist.
const UNKNOWN_ITEM: u32 = ITEMS + 1;

impl TpccConfig {
    pub(crate) fn draw(
        &self,
        transaction: TransactionType,
        terminal: DistrictKey,
        rng: &mut impl Rng,
    ) -> TransactionInput {
        let warehouse = terminal.warehouse;
        match transaction {
            TransactionType::NewOrder => TransactionInput::NewOrder(self.new_order(warehouse, rng)),
            TransactionType::Payment => TransactionInput::Payment(self.payment(warehouse, rng)),
            TransactionType::OrderStatus => {
                let district = any_district(warehouse, rng);
                let customer = self.customer(district, rng);
                TransactionInput::OrderStatus { customer }
            }
            TransactionType::Delivery => TransactionInput::Delivery {
                warehouse,
                carrier: uniform(rng, 1, 10),
            },
            TransactionType::StockLevel => TransactionInput::StockLevel {
                district: terminal,
                threshold: uniform(rng, 10, 20),
            },
        }
    }

    fn new_order(&self, warehouse: u32, rng: &mut impl Rng) -> NewOrderInput {
        let district = any_district(warehouse, rng);
        let customer = nurand::CUSTOMER.draw(self.profile, rng);
        let count = uniform(rng, self.profile.min_order_lines(), MAX_ORDER_LINES);
        let rolled_back = percent(rng, 1);
        let mut all_local = true;
        let mut line = |rng: &mut _| {
            let item = nurand::ITEM.draw(self.profile, rng);
            let remote = percent(rng, 1);
            let supplier = match remote {
                true => self.other_warehouse(warehouse, rng),
                false => warehouse,
            };
            // sysbench-tpcc calls a line remote though its warehouse is the local one.
            all_local &= !remote || (supplier == warehouse && self.profile.uses_remote_warehouses());
            OrderLine {
                item,
                supplier,
                quantity: uniform(rng, 1, 10),
            }
        };
        let mut lines: Vec<OrderLine> = (0..count).map(|_| line(rng)).collect();
        if rolled_back {
            let unknown = lines.len() - 1 - self.profile.lines_after_unknown_item();
            lines[unknown].item = UNKNOWN_ITEM;
        }
        NewOrderInput {
            district,
            customer,
            lines,
            all_local,
        }
    }

    fn payment(&self, warehouse: u32, rng: &mut impl Rng) -> PaymentInput {
        let district = any_district(warehouse, rng);
        let customers = match percent(rng, 15) {
            true => any_district(self.other_warehouse(warehouse, rng), rng),
            false => district,
        };
        PaymentInput {
            district,
            customer: self.customer(customers, rng),
            cents: uniform(rng, 100, 500_000),
        }
    }

    /// Draws a customer, by last name in 60 % of the cases.
    fn customer(&self, district: DistrictKey, rng: &mut impl Rng) -> Customer {
        let key = match percent(rng, 60) {
            true => CustomerKey::LastName(last_name(nurand::NAME.draw(self.profile, rng))),
            false => CustomerKey::Number(nurand::CUSTOMER.draw(self.profile, rng)),
        };
        Customer { district, key }
    }

    /// Draws another warehouse uniformly; returns the same one if there is no other, or the profile uses none.
    fn other_warehouse(&self, warehouse: u32, rng: &mut impl Rng) -> u32 {
        if self.warehouses == 1 || !self.profile.uses_remote_warehouses() {
            return warehouse;
        }
        let drawn = uniform(rng, 1, self.warehouses - 1);
        drawn + u32::from(drawn >= warehouse)
    }
}

fn any_district(warehouse: u32, rng: &mut impl Rng) -> DistrictKey {
    DistrictKey {
        warehouse,
        district: uniform(rng, 1, DISTRICTS),
    }
}

/// Returns true in `percent` % of the cases.
fn percent(rng: &mut impl Rng, percent: u64) -> bool {
    below(rng, 100) < percent
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::Stream;

    use super::*;
    use crate::util::test_fit::assert_fits;
    use crate::workloads::tpcc::options::TpccOptions;
    use crate::workloads::tpcc::profile::Profile;

    const DRAWS: u64 = 100_000;
    const HOME: DistrictKey = DistrictKey {
        warehouse: 3,
        district: 7,
    };

    fn tpcc(profile: Profile, warehouses: u32) -> TpccConfig {
        let options = TpccOptions {
            warehouses: Some(warehouses),
            ..TpccOptions::default()
        };
        TpccConfig::new(profile, options)
    }

    fn new_orders(profile: Profile, warehouses: u32) -> Vec<NewOrderInput> {
        let tpcc = tpcc(profile, warehouses);
        let mut rng = Stream::Window.rng(5);
        (0..DRAWS)
            .map(|_| match tpcc.draw(TransactionType::NewOrder, HOME, &mut rng) {
                TransactionInput::NewOrder(order) => order,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    fn payments(profile: Profile) -> Vec<PaymentInput> {
        let tpcc = tpcc(profile, 5);
        let mut rng = Stream::Window.rng(6);
        (0..DRAWS)
            .map(|_| match tpcc.draw(TransactionType::Payment, HOME, &mut rng) {
                TransactionInput::Payment(payment) => payment,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    fn counted<T>(of: &[T], cells: usize, cell: impl Fn(&T) -> usize) -> Vec<u64> {
        let mut counts = vec![0; cells];
        for one in of {
            counts[cell(one)] += 1;
        }
        counts
    }

    #[test]
    fn orders_have_as_many_lines_as_they_should_and_one_of_a_hundred_an_unknown_item() {
        for (profile, fewest, unknown_at) in [
            (Profile::Specification, 5, 1),
            (Profile::Dbt2, 6, 1),
            (Profile::SysbenchTpcc, 5, 2),
        ] {
            let orders = new_orders(profile, 5);
            let cells = 16 - fewest;
            let lines = counted(&orders, cells, |order| order.lines.len() - fewest);
            assert_fits(&lines, &vec![1.0 / cells as f64; cells]);
            let is_unknown =
                |order: &NewOrderInput| order.lines[order.lines.len() - unknown_at].item == UNKNOWN_ITEM;
            let unknown = counted(&orders, 2, |order| usize::from(is_unknown(order)));
            assert_fits(&unknown, &[0.99, 0.01]);
            let items = orders.iter().flat_map(|order| &order.lines);
            assert_eq!(items.filter(|line| line.item > ITEMS).count() as u64, unknown[1]);
            let districts = counted(&orders, 10, |order| order.district.district as usize - 1);
            assert_fits(&districts, &[0.1; 10]);
            assert!(orders.iter().all(|order| order.district.warehouse == 3));
        }
    }

    #[test]
    fn one_line_of_a_hundred_is_supplied_by_another_warehouse() {
        let orders = new_orders(Profile::Specification, 5);
        let lines: Vec<OrderLine> = orders.iter().flat_map(|order| order.lines.clone()).collect();
        let suppliers = counted(&lines, 5, |line| line.supplier as usize - 1);
        assert_fits(&suppliers, &[0.0025, 0.0025, 0.99, 0.0025, 0.0025]);
        assert_fits(
            &counted(&lines, 10, |line| line.quantity as usize - 1),
            &[0.1; 10],
        );
        for order in &orders {
            assert_eq!(order.all_local, order.lines.iter().all(|line| line.supplier == 3));
        }
        let sysbench = new_orders(Profile::SysbenchTpcc, 5);
        assert!(sysbench.iter().any(|order| !order.all_local));
        let mut of_sysbench = sysbench.iter().flat_map(|order| &order.lines);
        assert!(of_sysbench.all(|line| line.supplier == 3));
    }

    #[test]
    fn one_warehouse_has_no_others() {
        let only = DistrictKey {
            warehouse: 1,
            district: 1,
        };
        for profile in [Profile::Specification, Profile::SysbenchTpcc, Profile::Dbt2] {
            let mut rng = Stream::Window.rng(5);
            for _ in 0..10_000 {
                let TransactionInput::NewOrder(order) =
                    tpcc(profile, 1).draw(TransactionType::NewOrder, only, &mut rng)
                else {
                    panic!("no new order");
                };
                assert!(order.lines.iter().all(|line| line.supplier == 1));
                assert!(order.all_local || profile == Profile::SysbenchTpcc);
            }
        }
    }

    #[test]
    fn payments_are_remote_and_by_name_as_often_as_they_should() {
        let payments = payments(Profile::Specification);
        let homes = counted(&payments, 5, |payment| {
            payment.customer.district.warehouse as usize - 1
        });
        assert_fits(&homes, &[0.0375, 0.0375, 0.85, 0.0375, 0.0375]);
        let local = payments
            .iter()
            .filter(|payment| payment.customer.district.warehouse == 3);
        assert!(
            local
                .clone()
                .all(|payment| payment.customer.district == payment.district)
        );
        let by_name = counted(&payments, 2, |payment| {
            usize::from(matches!(payment.customer.key, CustomerKey::LastName(_)))
        });
        assert_fits(&by_name, &[0.4, 0.6]);
        assert_fits(
            &counted(&payments, 10, |payment| {
                (payment.cents as usize - 100) * 10 / 499_901
            }),
            &[0.1; 10],
        );
        let mut of_sysbench = super::tests::payments(Profile::SysbenchTpcc).into_iter();
        assert!(of_sysbench.all(|payment| payment.customer.district.warehouse == 3));
    }

    #[test]
    fn the_other_transactions_stay_at_home() {
        let tpcc = tpcc(Profile::Specification, 5);
        let mut rng = Stream::Window.rng(8);
        let (mut carriers, mut thresholds) = ([0; 10], [0; 11]);
        for _ in 0..10_000 {
            match tpcc.draw(TransactionType::Delivery, HOME, &mut rng) {
                TransactionInput::Delivery {
                    warehouse: 3,
                    carrier,
                } => carriers[carrier as usize - 1] += 1,
                other => panic!("{other:?}"),
            }
            match tpcc.draw(TransactionType::StockLevel, HOME, &mut rng) {
                TransactionInput::StockLevel {
                    district: HOME,
                    threshold,
                } => thresholds[threshold as usize - 10] += 1,
                other => panic!("{other:?}"),
            }
            match tpcc.draw(TransactionType::OrderStatus, HOME, &mut rng) {
                TransactionInput::OrderStatus { customer } => assert_eq!(customer.district.warehouse, 3),
                other => panic!("{other:?}"),
            }
        }
        assert_fits(&carriers, &[0.1; 10]);
        assert_fits(&thresholds, &[1.0 / 11.0; 11]);
    }
}
