//! Generator of the values of a parameter or column.

use logtrace_common::random::{Rng, below};

use crate::util::decimal::decimal;
use crate::workloads::custom::drawn::Drawn;
use crate::workloads::custom::weighted::Weighted;
use crate::workloads::keys::Keys;

/// Maximum number of unique parameters of one request.
pub(crate) const MAX_UNIQUE: u64 = 8;

/// Start of unique numbers, above all row numbers.
const FIRST_UNIQUE: u64 = 1 << 62;

/// Generator of values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Generator {
    /// Integers from `min`, `count` in all.
    Integer { min: i64, count: u64, keys: Keys },
    /// Decimal numbers from `min`, `count` in all, in units of `10^-places`.
    Decimal { min: i64, count: u64, places: u32 },
    /// Characters of an alphabet, uniformly distributed.
    Text {
        min_length: u32,
        max_length: u32,
        alphabet: Vec<char>,
    },
    /// One of several values.
    Choice { values: Vec<Drawn>, weights: Weighted },
    /// Number of the row.
    OwnRow,
    /// Number that is unique to the request and to the index, from 0, of the parameter among its unique parameters. It comes
    /// from the request's number in its stream, so it needs no counter and repeats with the seed.
    Unique(u64),
}

impl Generator {
    /// Draws a value for the row or request of this number.
    pub(crate) fn draw(&self, rng: &mut impl Rng, number: u64) -> Drawn {
        match self {
            Self::Integer { min, count, keys } => {
                // Keys start at 1. The sum is in the range, which is in i64.
                let above = keys.draw(rng, *count) - 1;
                Drawn::Integer(min.wrapping_add_unsigned(above))
            }
            Self::Decimal { min, count, places } => {
                let scaled = min.wrapping_add_unsigned(below(rng, *count));
                Drawn::Decimal(decimal(scaled, *places))
            }
            Self::Text {
                min_length,
                max_length,
                alphabet,
            } => {
                let length = u64::from(*min_length) + below(rng, u64::from(max_length - min_length) + 1);
                Drawn::Text((0..length).map(|_| any_of(alphabet, rng)).collect())
            }
            Self::Choice { values, weights } => values[weights.draw(rng)].clone(),
            Self::OwnRow => Drawn::Integer(0_i64.wrapping_add_unsigned(number)),
            // Request numbers are below 2^57.
            Self::Unique(index) => {
                let number = FIRST_UNIQUE | (number * MAX_UNIQUE + index);
                Drawn::Integer(0_i64.wrapping_add_unsigned(number))
            }
        }
    }
}

fn any_of(alphabet: &[char], rng: &mut impl Rng) -> char {
    // Below the length, which is a usize.
    alphabet[below(rng, alphabet.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use logtrace_common::random::Stream;

    use super::*;
    use crate::util::test_fit::assert_fits;

    const DRAWS: u64 = 20_000;

    /// Counts the draws of each value.
    fn counts(generator: &Generator) -> BTreeMap<String, u64> {
        let mut rng = Stream::Window.rng(7);
        let mut counts = BTreeMap::new();
        for number in 0..DRAWS {
            *counts
                .entry(generator.draw(&mut rng, number).literal())
                .or_default() += 1;
        }
        counts
    }

    #[test]
    fn integers_have_the_distribution_of_keys() {
        let of = |keys| Generator::Integer {
            min: -1,
            count: 3,
            keys,
        };
        let uniform = counts(&of(Keys::Uniform));
        assert_fits(&["-1", "0", "1"].map(|value| uniform[value]), &[1.0 / 3.0; 3]);
        let zipfian = counts(&of("zipfian:1".parse().unwrap()));
        let shares = [6.0 / 11.0, 3.0 / 11.0, 2.0 / 11.0];
        assert_fits(&["-1", "0", "1"].map(|value| zipfian[value]), &shares);
    }

    #[test]
    fn integers_can_have_the_whole_range() {
        let all = Generator::Integer {
            min: i64::MIN,
            count: u64::MAX,
            keys: Keys::Uniform,
        };
        assert_eq!(counts(&all).len() as u64, DRAWS);
    }

    #[test]
    fn decimals_have_all_their_places() {
        let drawn = counts(&Generator::Decimal {
            min: -5,
            count: 10,
            places: 2,
        });
        let values = [
            "-0.05", "-0.04", "-0.03", "-0.02", "-0.01", "0.00", "0.01", "0.02", "0.03", "0.04",
        ];
        assert_eq!(drawn.len(), 10);
        assert_fits(&values.map(|value| drawn[value]), &[0.1; 10]);
    }

    #[test]
    fn texts_have_uniform_lengths_and_characters() {
        let drawn = counts(&Generator::Text {
            min_length: 0,
            max_length: 1,
            alphabet: vec!['a', 'ß'],
        });
        assert_fits(
            &["''", "'a'", "'ß'"].map(|value| drawn[value]),
            &[0.5, 0.25, 0.25],
        );
    }

    #[test]
    fn choices_have_their_weights() {
        let drawn = counts(&Generator::Choice {
            values: vec![Drawn::Text("web".into()), Drawn::Integer(7)],
            weights: Weighted::new([9, 1]).unwrap(),
        });
        assert_fits(&["'web'", "7"].map(|value| drawn[value]), &[0.9, 0.1]);
    }

    #[test]
    fn unique_numbers_differ_from_each_other_and_from_rows() {
        let mut rng = Stream::Window.rng(7);
        let most = (1 << 57) - 1;
        let mut drawn = BTreeSet::new();
        for number in [0, 1, most - 1, most] {
            for index in 0..MAX_UNIQUE {
                let Drawn::Integer(unique) = Generator::Unique(index).draw(&mut rng, number) else {
                    panic!("no number");
                };
                assert!(unique > i64::from(u32::MAX), "{unique}");
                drawn.insert(unique);
            }
        }
        assert_eq!(drawn.len(), 32);
        assert_eq!(Generator::OwnRow.draw(&mut rng, 12), Drawn::Integer(12));
    }
}
