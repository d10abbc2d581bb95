//! Drawing the values of a parameter or a column.

use crate::util::decimal::decimal;
use crate::util::random::{Rng, below};
use crate::workloads::custom::drawn::Drawn;
use crate::workloads::custom::weighted::Weighted;
use crate::workloads::keys::distribution::Keys;

/// Numbers that no other request has, in one request.
pub(crate) const MOST_UNIQUE: u64 = 8;

/// Above every number of a row.
const FIRST_UNIQUE: u64 = 1 << 62;

/// How values are drawn, checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Generator {
    /// `min` and those above it, `count` in all.
    Integer { min: i64, count: u64, keys: Keys },
    /// The same, in units of `10^-places`.
    Decimal { min: i64, count: u64, places: u32 },
    /// Characters of an alphabet, each alike.
    Text {
        min_length: u32,
        max_length: u32,
        alphabet: Vec<char>,
    },
    /// One of several values.
    Choice { values: Vec<Drawn>, weights: Weighted },
    /// The number of the row.
    OwnRow,
    /// The number of the request, and among those of the same request this one, from 0.
    Unique(u64),
}

impl Generator {
    /// A value for the row or the request of this number.
    pub(crate) fn draw(&self, rng: &mut impl Rng, number: u64) -> Drawn {
        match self {
            Self::Integer { min, count, keys } => {
                // From 1, so that the first is `min`; the sum is in the range, which is of i64.
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
                Drawn::Text((0..length).map(|_| any(alphabet, rng)).collect())
            }
            Self::Choice { values, weights } => values[weights.draw(rng)].clone(),
            Self::OwnRow => Drawn::Integer(0_i64.wrapping_add_unsigned(number)),
            // Numbers of requests are below 2^57.
            Self::Unique(place) => {
                let number = FIRST_UNIQUE | (number * MOST_UNIQUE + place);
                Drawn::Integer(0_i64.wrapping_add_unsigned(number))
            }
        }
    }
}

fn any(alphabet: &[char], rng: &mut impl Rng) -> char {
    // Below its length, which is a usize.
    alphabet[below(rng, alphabet.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::util::random::Stream;
    use crate::util::test_fit::assert_fits;

    const DRAWS: u64 = 20_000;

    /// How often each value is drawn.
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
    fn integers_have_the_distribution_of_keys_from_their_least_on() {
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
    fn the_whole_range_of_an_integer_can_be_had() {
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
    fn texts_have_each_length_and_character_alike() {
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
    fn unique_numbers_are_those_of_nobody_else_and_of_no_row() {
        let mut rng = Stream::Window.rng(7);
        let most = (1 << 57) - 1;
        let mut drawn = BTreeSet::new();
        for number in [0, 1, most - 1, most] {
            for place in 0..MOST_UNIQUE {
                let Drawn::Integer(unique) = Generator::Unique(place).draw(&mut rng, number) else {
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
