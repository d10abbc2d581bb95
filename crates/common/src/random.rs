//! Random numbers that are the same on every machine for the same seed.
//!
//! The generators' algorithms are fixed by their names, and the conversions are spelled out here, so that a newer
//! version of a crate cannot change what a seed means.

pub use rand_xoshiro::Xoshiro256PlusPlus;
pub use rand_xoshiro::rand_core::Rng;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng;

/// Purpose of random numbers. Each purpose has its own sequence, so that a longer warm-up does not change the requests
/// of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Arrivals of a window.
    Arrivals,
    /// Values of requests in the warm-up.
    Warmup,
    /// Values of requests in the window.
    Window,
    /// Seed of the requests that measure a capacity. They differ from the run's requests, which use the same tables.
    Capacity,
    /// Rows loaded into the table or the batch with this number.
    Load(u32),
    /// Behaviour of the user at the connection with this number.
    User(u32),
    /// Random choices of a study with this number, such as the order of cells.
    Study(u32),
}

impl Stream {
    /// Returns the generator of this purpose.
    pub fn rng(self, seed: u64) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.base(seed))
    }

    /// Returns a number from which [`nth_rng`] makes one generator per request.
    pub fn base(self, seed: u64) -> u64 {
        let purpose = match self {
            Self::Arrivals => 1,
            Self::Warmup => 2,
            Self::Window => 3,
            Self::Capacity => 4,
            Self::Load(table) => (1 << 32) | u64::from(table),
            Self::User(connection) => (2 << 32) | u64::from(connection),
            Self::Study(number) => (3 << 32) | u64::from(number),
        };
        // Two rounds of mixing: neighbouring seeds and purposes get unrelated numbers.
        let mixed = SplitMix64::seed_from_u64(seed).next_u64();
        SplitMix64::seed_from_u64(mixed ^ purpose).next_u64()
    }
}

/// Returns the generator of request `number`. Its values depend on the seed and the number only, not on the connection
/// that serves it.
#[inline]
pub fn nth_rng(base: u64, number: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(base.wrapping_add(number))
}

/// Draws a number of [0, 1) in steps of 2^-53.
pub fn unit(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Draws a whole number of [0, below). `below` must not be 0. The bias is under `below` / 2^64.
pub fn below(rng: &mut impl Rng, below: u64) -> u64 {
    let product = u128::from(rng.next_u64()) * u128::from(below);
    (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_seed_means_the_same_numbers_for_ever() {
        // Written down once: a change of a crate or of the mixing must not go unseen.
        let mut rng = Stream::Window.rng(42);
        let first: Vec<u64> = (0..3).map(|_| below(&mut rng, 1000)).collect();
        assert_eq!(first, [985, 894, 593]);
    }

    proptest! {
        #[test]
        fn purposes_and_neighbouring_seeds_have_different_numbers(seed: u64, table: u32) {
            let numbered = [Stream::Load(table), Stream::User(table), Stream::Study(table)];
            let once = [Stream::Arrivals, Stream::Warmup, Stream::Window, Stream::Capacity];
            let streams = once.into_iter().chain(numbered);
            let mut bases: Vec<u64> = streams
                .flat_map(|stream| [stream.base(seed), stream.base(seed.wrapping_add(1))])
                .collect();
            bases.sort_unstable();
            bases.dedup();
            prop_assert_eq!(bases.len(), 14);
        }

        #[test]
        fn numbers_stay_in_range(seed: u64, limit in 1u64..) {
            let mut rng = Stream::Window.rng(seed);
            prop_assert!(below(&mut rng, limit) < limit);
            prop_assert!((0.0..1.0).contains(&unit(&mut rng)));
        }
    }
}
