//! Kinds of transactions, and their mix.

use logtrace_common::random::{Rng, below};
use strum::{VariantArray, VariantNames};

use crate::workloads::tpcc::profile::Profile;

/// Kind of transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum TransactionType {
    /// Order of some items by a customer.
    NewOrder,
    /// Payment by a customer.
    Payment,
    /// Read of the last order of a customer.
    OrderStatus,
    /// Delivery of the oldest new order of each district.
    Delivery,
    /// Count of the items of the last orders that are nearly out of stock.
    StockLevel,
}

impl TransactionType {
    /// Names in reports, in the order of the variants.
    pub const NAMES: &[&str] = <Self as VariantNames>::VARIANTS;

    /// Draws a transaction of the mix.
    pub(crate) fn draw(profile: Profile, rng: &mut impl Rng) -> Self {
        let weights = profile.weights();
        let mut left = below(rng, weights.iter().sum());
        for (&transaction, weight) in <Self as VariantArray>::VARIANTS.iter().zip(weights) {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => return transaction,
            }
        }
        Self::StockLevel
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::Stream;

    use super::*;
    use crate::util::test_fit::assert_fits;

    #[test]
    fn the_mix_is_that_of_the_program() {
        for (profile, shares) in [
            (Profile::Specification, [0.45, 0.43, 0.04, 0.04, 0.04]),
            (Profile::Dbt2, [0.45, 0.43, 0.04, 0.04, 0.04]),
            (
                Profile::SysbenchTpcc,
                [10.0, 10.0, 1.0, 1.0, 1.0].map(|weight| weight / 23.0),
            ),
        ] {
            let mut rng = Stream::Window.rng(3);
            let mut counts = [0; 5];
            for _ in 0..200_000 {
                counts[TransactionType::draw(profile, &mut rng) as usize] += 1;
            }
            assert_fits(&counts, &shares);
        }
    }
}
