//! Non-uniform random numbers NURand (clause 2.1.6).

use logtrace_common::random::{Rng, below};

use crate::workloads::tpcc::profile::Profile;

/// Parameters of NURand for numbers from x to y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    a: u64,
    x: u64,
    y: u64,
    c: u64,
}

/// Customer numbers.
pub(crate) const CUSTOMER: Field = Field {
    a: 1023,
    x: 1,
    y: 3000,
    c: 259,
};

/// Item numbers.
pub(crate) const ITEM: Field = Field {
    a: 8191,
    x: 1,
    y: 100_000,
    c: 7911,
};

/// Numbers of last names for lookups of customers.
pub(crate) const NAME: Field = Field {
    a: 255,
    x: 0,
    y: 999,
    c: 223,
};

/// Numbers of last names for loading customers. The constants differ by 66: clause 2.1.6.1 requires 65 to 119, except 96
/// and 112.
pub(crate) const LOADED_NAME: Field = Field { c: 157, ..NAME };

impl Field {
    /// Draws a number by the formula of a program.
    pub(crate) fn draw(self, profile: Profile, rng: &mut impl Rng) -> u32 {
        let Self { a, x, y, c } = self;
        let size = y - x + 1;
        let first = below(rng, a + 1);
        let (second, c) = match profile {
            // A constant C for each field.
            Profile::Specification => (x + below(rng, size), c),
            // C is drawn for each number: almost uniform numbers.
            Profile::SysbenchTpcc => (x + below(rng, size), below(rng, a + 1)),
            // C is 0, and the second number is drawn from x to x + y.
            Profile::Dbt2 => (x + below(rng, y + 1), 0),
        };
        // At most y, which fits.
        (((first | second) + c) % size + x) as u32
    }
}

/// Draws an integer from `min` to `max` uniformly.
pub(crate) fn uniform(rng: &mut impl Rng, min: u32, max: u32) -> u32 {
    // Below a u32.
    min + below(rng, u64::from(max - min) + 1) as u32
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::Stream;

    use super::*;
    use crate::util::test_fit::{assert_fits, assert_misfits};

    const DRAWS: u64 = 1_000_000;

    fn counts(profile: Profile, field: Field) -> Vec<u64> {
        let mut rng = Stream::Window.rng(7);
        let mut counts = vec![0; (field.y - field.x + 1) as usize];
        for _ in 0..DRAWS {
            counts[field.draw(profile, &mut rng) as usize - field.x as usize] += 1;
        }
        counts
    }

    /// Returns the shares by the specification's formula: counts every pair of numbers.
    fn shares(field: Field, c: u64) -> Vec<f64> {
        let size = field.y - field.x + 1;
        let mut shares = vec![0.0; size as usize];
        let each = 1.0 / ((field.a + 1) * size) as f64;
        for first in 0..=field.a {
            for second in field.x..=field.y {
                shares[(((first | second) + c) % size) as usize] += each;
            }
        }
        shares
    }

    /// Returns the share of all draws that the most frequent 1 % of the numbers gets.
    fn top_percent(mut counts: Vec<u64>) -> f64 {
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let top = counts.len() / 100;
        counts[..top].iter().sum::<u64>() as f64 / DRAWS as f64
    }

    #[test]
    fn numbers_are_skewed_by_the_formula() {
        for field in [CUSTOMER, NAME, LOADED_NAME] {
            assert_fits(&counts(Profile::Specification, field), &shares(field, field.c));
            assert_misfits(
                &counts(Profile::Specification, field),
                &shares(field, field.c + 1),
            );
            assert_misfits(&counts(Profile::SysbenchTpcc, field), &shares(field, field.c));
            assert_misfits(&counts(Profile::Dbt2, field), &shares(field, field.c));
        }
    }

    #[test]
    fn the_top_percent_is_as_frequent_as_in_published_simulations() {
        let of = |profile| {
            [ITEM, CUSTOMER, NAME].map(|field| (1000.0 * top_percent(counts(profile, field))).round() / 10.0)
        };
        let [items, customers, names] = of(Profile::Specification);
        assert!((30.0..31.2).contains(&items), "{items}");
        assert!((21.8..22.6).contains(&customers), "{customers}");
        assert!((14.4..15.2).contains(&names), "{names}");
        for (redrawn, fixed) in of(Profile::SysbenchTpcc)
            .into_iter()
            .zip([items, customers, names])
        {
            // A part of it is chance, because the draws select the top percent.
            assert!(redrawn < 2.5 && redrawn < fixed / 5.0, "{redrawn} of {fixed}");
        }
    }

    #[test]
    fn numbers_stay_in_their_field() {
        let mut rng = Stream::Window.rng(1);
        for field in [CUSTOMER, ITEM, NAME] {
            for profile in [Profile::Specification, Profile::SysbenchTpcc, Profile::Dbt2] {
                for _ in 0..10_000 {
                    let number = u64::from(field.draw(profile, &mut rng));
                    assert!((field.x..=field.y).contains(&number));
                }
            }
        }
        let drawn: Vec<u32> = (0..1000).map(|_| uniform(&mut rng, 5, 15)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&5), Some(&15)));
    }
}
