//! A terminal's user, who types, waits for the answer, and thinks (clause 5.2.5).

use std::time::Duration;

use crate::util::random::{Rng, Stream, Xoshiro256PlusPlus, below, unit};

use crate::workloads::tpcc::inputs::Transaction;
use crate::workloads::tpcc::profile::Profile;

/// Thinking takes at most this many times its mean.
const LONGEST_THOUGHT: f64 = 10.0;

/// The longest pause: a thought of 12 s on average, and a new order that is typed.
const LONGEST_PAUSE_S: f64 = 12.0 * LONGEST_THOUGHT + 18.0;

/// A user, and what they are going to ask for.
#[derive(Debug)]
pub(crate) struct User {
    rng: Xoshiro256PlusPlus,
    profile: Profile,
    last: Option<Transaction>,
    next: Transaction,
}

impl User {
    /// The user at the connection of this number.
    pub(crate) fn new(profile: Profile, seed: u64, connection: u32) -> Self {
        Self {
            rng: Stream::User(connection).rng(seed),
            profile,
            last: None,
            next: Transaction::NewOrder,
        }
    }

    /// Chooses the next transaction, and says how long the user thinks about the last one and types the next.
    pub(crate) fn pause(&mut self) -> Duration {
        let pause_s = match self.last {
            Some(last) => self.pause_after(last),
            None => self.rest_of_pause(),
        };
        self.last = Some(self.next);
        Duration::from_secs_f64(pause_s)
    }

    fn pause_after(&mut self, last: Transaction) -> f64 {
        self.next = Transaction::draw(self.profile, &mut self.rng);
        thinking_s(last, &mut self.rng) + keying_s(self.next)
    }

    /// What is left of a pause that began before the load did, so that the mix is right from the start: a moment falls
    /// into long pauses more often than into short ones.
    fn rest_of_pause(&mut self) -> f64 {
        loop {
            let last = Transaction::draw(self.profile, &mut self.rng);
            let pause_s = self.pause_after(last);
            if unit(&mut self.rng) * LONGEST_PAUSE_S < pause_s {
                return pause_s * unit(&mut self.rng);
            }
        }
    }

    /// The transaction that was chosen.
    pub(crate) fn next(&self) -> Transaction {
        self.next
    }
}

/// Time to type what a transaction asks for.
fn keying_s(transaction: Transaction) -> f64 {
    match transaction {
        Transaction::NewOrder => 18.0,
        Transaction::Payment => 3.0,
        Transaction::OrderStatus | Transaction::Delivery | Transaction::StockLevel => 2.0,
    }
}

/// Time to think about the answer to a transaction: exponentially distributed, and cut.
fn thinking_s(transaction: Transaction, rng: &mut impl Rng) -> f64 {
    let mean_s = match transaction {
        Transaction::NewOrder | Transaction::Payment => 12.0,
        Transaction::OrderStatus => 10.0,
        Transaction::Delivery | Transaction::StockLevel => 5.0,
    };
    // Never the logarithm of 0.
    let drawn = -libm::log(1.0 - unit(rng));
    mean_s * drawn.min(LONGEST_THOUGHT)
}

impl Transaction {
    /// One of the mix.
    pub(crate) fn draw(profile: Profile, rng: &mut impl Rng) -> Self {
        let weights = profile.weights();
        let mut left = below(rng, weights.iter().sum());
        for (transaction, weight) in Self::ALL.into_iter().zip(weights) {
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
    use super::*;
    use crate::util::test_fit::assert_fits;

    /// The shares of the mix times keying and thinking.
    const MEAN_S: f64 = 0.45 * (18.0 + 12.0) + 0.43 * (3.0 + 12.0) + 0.04 * (12.0 + 7.0 + 7.0);

    #[test]
    fn the_mix_is_that_of_the_program() {
        for (profile, shares) in [
            (Profile::Specification, [0.45, 0.43, 0.04, 0.04, 0.04]),
            (Profile::Dbt2, [0.45, 0.43, 0.04, 0.04, 0.04]),
            (
                Profile::SysbenchTpcc,
                [10.0, 10.0, 1.0, 1.0, 1.0].map(|part| part / 23.0),
            ),
        ] {
            let mut rng = Stream::Window.rng(3);
            let mut counts = [0; 5];
            for _ in 0..200_000 {
                counts[Transaction::draw(profile, &mut rng) as usize] += 1;
            }
            assert_fits(&counts, &shares);
        }
    }

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
