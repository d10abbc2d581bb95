//! In what other programs deviate from the specification.

use crate::workloads::protocol::Protocol;

use crate::workloads::tpcc::nurand::Nurand;

/// Whose deviations from the specification are made.
///
/// Mix, order lines, random keys, and what transactions read and write; the tables and their population are the
/// specification's always. Facts were read in the sources of sysbench-tpcc (commit 585e2b8) and DBT2 (0.61.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Nobody's.
    #[default]
    Specification,
    /// sysbench-tpcc's: 10 new orders to 10 payments to 1 of each other kind; the warehouse is drawn for each
    /// transaction and no other one ever takes part; almost uniform keys, for the constant C is drawn anew each time;
    /// a few wrong rows and columns; statements as text.
    SysbenchTpcc,
    /// DBT2's: orders of 6 to 15 lines, and its own formula of random keys, with C = 0.
    Dbt2,
}

impl Profile {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Specification => "specification",
            Self::SysbenchTpcc => "sysbench-tpcc",
            Self::Dbt2 => "dbt2",
        }
    }

    /// How statements are sent, unless it is said otherwise.
    pub(crate) fn protocol(self) -> Protocol {
        match self {
            Self::Specification | Self::Dbt2 => Protocol::Prepared,
            Self::SysbenchTpcc => Protocol::Text,
        }
    }

    /// Whether a terminal has a warehouse where it is at home.
    pub(crate) fn has_homes(self) -> bool {
        self != Self::SysbenchTpcc
    }

    /// How often each kind of transaction is drawn, in their order (clause 5.2.3).
    pub(crate) fn weights(self) -> [u64; 5] {
        match self {
            Self::Specification | Self::Dbt2 => [45, 43, 4, 4, 4],
            Self::SysbenchTpcc => [10, 10, 1, 1, 1],
        }
    }

    /// The fewest lines of an order; the most are 15 (clause 2.4.1.3).
    pub(crate) fn fewest_lines(self) -> u32 {
        match self {
            Self::Specification | Self::SysbenchTpcc => 5,
            Self::Dbt2 => 6,
        }
    }

    /// Whether the warehouse that is called another one is one: sysbench-tpcc draws until it is the same.
    pub(crate) fn knows_others(self) -> bool {
        self != Self::SysbenchTpcc
    }

    /// How non-uniform numbers are drawn.
    pub(crate) fn nurand(self) -> Nurand {
        match self {
            Self::Specification => Nurand::Fixed,
            Self::SysbenchTpcc => Nurand::Redrawn,
            Self::Dbt2 => Nurand::Dbt2,
        }
    }

    /// Lines after the one with the item that does not exist, in an order that is rolled back.
    pub(crate) fn lines_after_unknown(self) -> usize {
        usize::from(self == Self::SysbenchTpcc)
    }

    /// Which of `count` customers of a name is meant, from 0: the middle one, rounded up (clause 2.5.2.2), or with
    /// sysbench-tpcc the one after it.
    pub(crate) fn of_namesakes(self, count: usize) -> usize {
        let middle = count.div_ceil(2).saturating_sub(1);
        match self {
            Self::SysbenchTpcc if count > 1 => middle + 1,
            _ => middle,
        }
    }

    /// Whether the stock keeps count of what was ordered, and the customer of payments.
    pub(crate) fn keeps_counts(self) -> bool {
        self != Self::SysbenchTpcc
    }

    /// Whether the amount of an order line is with tax and discount.
    pub(crate) fn amounts_with_tax(self) -> bool {
        self == Self::SysbenchTpcc
    }

    /// Whether the status of an order is told by the lines of another: sysbench-tpcc takes the district's number for
    /// the order's.
    pub(crate) fn mistakes_order(self) -> bool {
        self == Self::SysbenchTpcc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_customer_in_the_middle_is_meant() {
        let of = |profile: Profile| [1, 2, 3, 4, 5].map(|count| profile.of_namesakes(count));
        assert_eq!(of(Profile::Specification), [0, 0, 1, 1, 2]);
        assert_eq!(of(Profile::SysbenchTpcc), [0, 1, 2, 2, 3]);
    }
}
