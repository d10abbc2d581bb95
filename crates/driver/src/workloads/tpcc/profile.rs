//! Deviations of other programs from the specification.

use strum::{Display, IntoStaticStr};

use crate::workloads::protocol::Protocol;

/// Program whose deviations from the specification are repeated.
///
/// They concern mix, order lines, random keys, foreign keys, stored procedures, and the rows that transactions read and
/// write. Columns and population are always those of the specification. Sources: sysbench-tpcc (commit 585e2b8) and DBT2
/// (0.61.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Profile {
    /// No deviations.
    #[default]
    Specification,
    /// sysbench-tpcc: 10 new orders to 10 payments to 1 of each other kind; the warehouse is drawn for each transaction,
    /// and no other warehouse ever takes part; almost uniform keys, because the constant C is drawn each time; some wrong
    /// rows and columns; statements as text.
    SysbenchTpcc,
    /// DBT2: orders of 6 to 15 lines, its own formula of random keys, with C = 0, and stored procedures.
    Dbt2,
}

impl Profile {
    /// Returns the name in reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns how statements are sent by default.
    pub(crate) fn protocol(self) -> Protocol {
        match self {
            Self::Specification => Protocol::Prepared,
            Self::SysbenchTpcc => Protocol::Text,
            Self::Dbt2 => Protocol::Procedures,
        }
    }

    /// Returns whether a terminal has a home warehouse.
    pub(crate) fn has_home_warehouse(self) -> bool {
        self != Self::SysbenchTpcc
    }

    /// Returns whether the load creates stored procedures.
    pub(crate) fn has_procedures(self) -> bool {
        self == Self::Dbt2
    }

    /// Returns whether the tables have foreign keys.
    pub(crate) fn has_foreign_keys(self) -> bool {
        self == Self::SysbenchTpcc
    }

    /// Returns the weight of each kind of transaction, in their order (clause 5.2.3).
    pub(crate) fn weights(self) -> [u64; 5] {
        match self {
            Self::Specification | Self::Dbt2 => [45, 43, 4, 4, 4],
            Self::SysbenchTpcc => [10, 10, 1, 1, 1],
        }
    }

    /// Returns the minimum number of lines of an order; the maximum is 15 (clause 2.4.1.3).
    pub(crate) fn min_order_lines(self) -> u32 {
        match self {
            Self::Specification | Self::SysbenchTpcc => 5,
            Self::Dbt2 => 6,
        }
    }

    /// Returns whether remote lines and payments go to another warehouse: sysbench-tpcc repeats the draw until it gets
    /// the home warehouse.
    pub(crate) fn uses_remote_warehouses(self) -> bool {
        self != Self::SysbenchTpcc
    }

    /// Returns the number of lines after the unknown item in an order that is rolled back.
    pub(crate) fn lines_after_unknown_item(self) -> usize {
        usize::from(self == Self::SysbenchTpcc)
    }

    /// Returns the index of the selected customer among `count` customers with the same last name: the middle one, rounded
    /// up (clause 2.5.2.2), or with sysbench-tpcc the one after it.
    pub(crate) fn customer_index(self, count: usize) -> usize {
        let middle = count.div_ceil(2).saturating_sub(1);
        match self {
            Self::SysbenchTpcc if count > 1 => middle + 1,
            _ => middle,
        }
    }

    /// Returns whether new orders update the counters of the stock, and payments the counter of the customer.
    pub(crate) fn updates_counters(self) -> bool {
        self != Self::SysbenchTpcc
    }

    /// Returns whether the amount of an order line includes tax and discount.
    pub(crate) fn amount_includes_tax(self) -> bool {
        self == Self::SysbenchTpcc
    }

    /// Returns whether an order status reads the lines of the wrong order: sysbench-tpcc uses the district's number as the
    /// number of the order.
    pub(crate) fn reads_lines_by_district_number(self) -> bool {
        self == Self::SysbenchTpcc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_reports() {
        let names = [Profile::Specification, Profile::SysbenchTpcc, Profile::Dbt2].map(Profile::as_str);
        assert_eq!(names, ["specification", "sysbench-tpcc", "dbt2"]);
    }

    #[test]
    fn the_middle_customer_is_selected() {
        let indexes = |profile: Profile| [1, 2, 3, 4, 5].map(|count| profile.customer_index(count));
        assert_eq!(indexes(Profile::Specification), [0, 0, 1, 1, 2]);
        assert_eq!(indexes(Profile::SysbenchTpcc), [0, 1, 2, 2, 3]);
    }
}
