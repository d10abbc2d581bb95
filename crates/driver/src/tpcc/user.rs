//! A terminal's user, who types, waits for the answer, and thinks (clause 5.2.5).

use std::time::Duration;

use crate::random::{Rng, Stream, Xoshiro256PlusPlus, below, unit};

use super::Profile;
use super::input::Transaction;

/// Thinking takes at most this many times its mean.
const LONGEST_THOUGHT: f64 = 10.0;

/// What a user does before the first request is spread over this time, so that not all start at once: about the mean
/// from one request of a user to the next.
const FIRST_WITHIN_S: f64 = 21.0;

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
        self.next = Transaction::draw(self.profile, &mut self.rng);
        let pause_s = match self.last.replace(self.next) {
            None => FIRST_WITHIN_S * unit(&mut self.rng),
            Some(last) => thinking_s(last, &mut self.rng) + keying_s(self.next),
        };
        Duration::from_secs_f64(pause_s)
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
    use super::super::fit::assert_fits;
    use super::*;

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
            let first = user.pause().as_secs_f64();
            let rest: Vec<f64> = (0..20_000).map(|_| user.pause().as_secs_f64()).collect();
            (first, rest)
        };
        let (first, rest) = pauses(0);
        assert!((0.0..FIRST_WITHIN_S).contains(&first));
        // The shares of the mix times keying and thinking.
        let mean = 0.45 * (18.0 + 12.0) + 0.43 * (3.0 + 12.0) + 0.04 * (12.0 + 7.0 + 7.0);
        let seen = rest.iter().sum::<f64>() / rest.len() as f64;
        assert!((seen / mean - 1.0).abs() < 0.02, "{seen} of {mean}");
        assert!(rest.iter().all(|&pause| (2.0..138.1).contains(&pause)));
        assert_ne!(first, pauses(1).0);
    }
}
