//! User of a terminal, who types, waits for the answer, and thinks (clause 5.2.5).

use std::time::Duration;

use logtrace_common::random::{Rng, Stream, Xoshiro256PlusPlus, unit};

use crate::workloads::tpcc::profile::Profile;
use crate::workloads::tpcc::transaction_type::TransactionType;

/// Maximum think time, in multiples of its mean.
const MAX_MEANS: f64 = 10.0;

/// Longest pause: the longest think time with the mean 12 s, and the keying time of a new order.
const LONGEST_PAUSE_S: f64 = 12.0 * MAX_MEANS + 18.0;

/// User, with the next transaction.
#[derive(Debug)]
pub(crate) struct User {
    rng: Xoshiro256PlusPlus,
    profile: Profile,
    last: Option<TransactionType>,
    next: TransactionType,
}

impl User {
    /// Returns the user at the connection of this number.
    pub(crate) fn new(profile: Profile, seed: u64, connection: u32) -> Self {
        Self {
            rng: Stream::User(connection).rng(seed),
            profile,
            last: None,
            next: TransactionType::NewOrder,
        }
    }

    /// Draws the next transaction, and returns the time to think about the last one and to type the next.
    pub(crate) fn pause(&mut self) -> Duration {
        let pause_s = match self.last {
            Some(last) => self.pause_after(last),
            None => self.first_pause(),
        };
        self.last = Some(self.next);
        Duration::from_secs_f64(pause_s)
    }

    fn pause_after(&mut self, last: TransactionType) -> f64 {
        self.next = TransactionType::draw(self.profile, &mut self.rng);
        thinking_s(last, &mut self.rng) + keying_s(self.next)
    }

    /// Returns the rest of a pause that began before the load did, so that the mix is right from the start. A moment falls
    /// into a long pause more often than into a short one.
    fn first_pause(&mut self) -> f64 {
        loop {
            let last = TransactionType::draw(self.profile, &mut self.rng);
            let pause_s = self.pause_after(last);
            if unit(&mut self.rng) * LONGEST_PAUSE_S < pause_s {
                return pause_s * unit(&mut self.rng);
            }
        }
    }

    /// Returns the transaction that was drawn.
    pub(crate) fn next(&self) -> TransactionType {
        self.next
    }
}

/// Returns the time to type the input of a transaction.
fn keying_s(transaction: TransactionType) -> f64 {
    match transaction {
        TransactionType::NewOrder => 18.0,
        TransactionType::Payment => 3.0,
        TransactionType::OrderStatus | TransactionType::Delivery | TransactionType::StockLevel => 2.0,
    }
}

/// Draws the time to think about the answer to a transaction: exponentially distributed, with a maximum.
fn thinking_s(transaction: TransactionType, rng: &mut impl Rng) -> f64 {
    let mean_s = match transaction {
        TransactionType::NewOrder | TransactionType::Payment => 12.0,
        TransactionType::OrderStatus => 10.0,
        TransactionType::Delivery | TransactionType::StockLevel => 5.0,
    };
    // Never the logarithm of 0.
    let drawn = -libm::log(1.0 - unit(rng));
    mean_s * drawn.min(MAX_MEANS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::test_fit::assert_fits;

    /// The shares of the mix times keying and thinking.
    const MEAN_S: f64 = 0.45 * (18.0 + 12.0) + 0.43 * (3.0 + 12.0) + 0.04 * (12.0 + 7.0 + 7.0);

    #[test]
    fn users_take_the_time_of_the_specification_and_differ() {
        let pauses = |connection| {
            let mut user = User::new(Profile::Specification, 1, connection);
            let first = user.pause();
            let rest: Vec<f64> = (0..20_000).map(|_| user.pause().as_secs_f64()).collect();
            (first, rest)
        };
        let (first, rest) = pauses(0);
        let seen = rest.iter().sum::<f64>() / rest.len() as f64;
        assert!((seen / MEAN_S - 1.0).abs() < 0.02, "{seen} of {MEAN_S}");
        assert!(rest.iter().all(|&pause| (2.0..138.1).contains(&pause)));
        assert_ne!(first, pauses(1).0);
    }

    #[test]
    fn users_are_under_way_when_the_load_starts() {
        const USERS: u32 = 20_000;
        for (from, to) in [(0.0, 5.0), (5.0, 15.0)] {
            let mut counts = [0; 5];
            for connection in 0..USERS {
                let mut user = User::new(Profile::Specification, 9, connection);
                let mut now = user.pause().as_secs_f64();
                while now < to {
                    counts[user.next() as usize] += u64::from(now >= from);
                    now += user.pause().as_secs_f64();
                }
            }
            assert_fits(&counts, &[0.45, 0.43, 0.04, 0.04, 0.04]);
            let expected = f64::from(USERS) * (to - from) / MEAN_S;
            let seen = counts.iter().sum::<u64>() as f64;
            assert!(
                (seen - expected).abs() < 5.0 * expected.sqrt(),
                "{seen} of {expected}"
            );
        }
    }
}
