//! Distributions of keys, computed as sysbench does.

pub(crate) mod gaussian;
pub(crate) mod pareto;
pub(crate) mod parse;
pub(crate) mod zipfian;

use std::fmt;
use std::str::FromStr;

use logtrace_common::random::{Rng, below};

use crate::workloads::keys::gaussian::{Gaussian, Special};
use crate::workloads::keys::pareto::Pareto;
use crate::workloads::keys::parse::{KeysError, number, split};
use crate::workloads::keys::zipfian::Zipfian;

/// Distribution of keys over the rows 1 to N of a table, as sysbench computes it (`src/sb_rand.c`), with sysbench's
/// parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Uniform distribution: sysbench's default from 1.1 on.
    Uniform,
    /// Default of sysbench up to 1.0: 75 % of the keys are in the middle 1 % of the rows, the others form a bell around
    /// the middle. With 10,000 rows it tests the locks of about 76 rows.
    Special(Special),
    /// Bell around the middle row.
    Gaussian(Gaussian),
    /// Low keys: 80 % of the keys are in the first 20 % of the rows, and so on within these rows.
    Pareto(Pareto),
    /// Probability by a power of the row number, highest for the first row. sysbench 1.1 has it, 1.0 does not.
    Zipfian(Zipfian),
}

impl Keys {
    /// Default of sysbench 1.0, with its default parameters.
    pub const SPECIAL: Self = Self::Special(Special::DEFAULT);

    /// Returns all distributions, with sysbench's default parameters.
    pub fn all() -> [Self; 5] {
        [
            Self::Uniform,
            Self::SPECIAL,
            Self::Gaussian(Gaussian::DEFAULT),
            Self::Pareto(Pareto::default()),
            Self::Zipfian(Zipfian::default()),
        ]
    }

    /// Returns the name in commands and reports, without the parameters that `to_string()` adds.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Special(_) => "special",
            Self::Gaussian(_) => "gaussian",
            Self::Pareto(_) => "pareto",
            Self::Zipfian(_) => "zipfian",
        }
    }

    /// Draws a key from 1 to `rows`. `rows` must not be 0.
    pub fn draw(self, rng: &mut impl Rng, rows: u64) -> u64 {
        let above_first = match self {
            Self::Uniform => below(rng, rows),
            Self::Special(special) => special.draw(rng, rows),
            Self::Gaussian(gaussian) => gaussian.draw(rng, rows),
            Self::Pareto(pareto) => pareto.draw(rng, rows),
            Self::Zipfian(zipfian) => zipfian.draw(rng, rows),
        };
        // A product just below the number of rows may have been rounded up to it.
        1 + above_first.min(rows - 1)
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.as_str();
        match self {
            Self::Uniform => f.pad(name),
            Self::Special(special) if *special == Special::DEFAULT => f.pad(name),
            Self::Special(special) => f.pad(&format!("{name}:{special}")),
            Self::Gaussian(gaussian) => f.pad(&format!("{name}:{}", gaussian.numbers())),
            Self::Pareto(pareto) => f.pad(&format!("{name}:{}", pareto.h())),
            Self::Zipfian(zipfian) => f.pad(&format!("{name}:{}", zipfian.exponent())),
        }
    }
}

impl FromStr for Keys {
    type Err = KeysError;

    /// Reads a name, with parameters after a colon if they are not sysbench's defaults: `zipfian:1.2`.
    fn from_str(text: &str) -> Result<Self, KeysError> {
        let (name, parameters) = split(text);
        let whole = |parameter: &str| number::<u32>(text, parameter, "a whole number");
        let real = |parameter: &str| number::<f64>(text, parameter, "a number");
        let special = |percent, share, numbers| {
            Special::new(whole(percent)?, whole(share)?, numbers).map(Self::Special)
        };
        let Some(keys) = Self::all().into_iter().find(|keys| keys.as_str() == name) else {
            return Err(KeysError(format!(
                "unknown key distribution {text:?}: choose uniform, special, gaussian, pareto or zipfian"
            )));
        };
        match (keys, &parameters[..]) {
            (keys, []) => Ok(keys),
            (Self::Special(_), [percent, share]) => special(percent, share, Gaussian::DEFAULT.numbers()),
            (Self::Special(_), [percent, share, numbers]) => special(percent, share, whole(numbers)?),
            (Self::Gaussian(_), [numbers]) => Gaussian::new(whole(numbers)?).map(Self::Gaussian),
            (Self::Pareto(_), [h]) => Pareto::new(real(h)?).map(Self::Pareto),
            (Self::Zipfian(_), [exponent]) => Zipfian::new(real(exponent)?).map(Self::Zipfian),
            _ => Err(KeysError(format!(
                "{text:?} has parameters that its distribution does not: write uniform, \
                 special:PERCENT,SHARE[,NUMBERS], gaussian:NUMBERS, pareto:H or zipfian:EXPONENT"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::Stream;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_read_back() {
        let parameters = ["special:2,80,6", "gaussian:3", "pareto:0.35", "zipfian:1.2"];
        let others = parameters.map(|text| text.parse().unwrap());
        for keys in Keys::all().into_iter().chain(others) {
            assert_eq!(keys.to_string().parse(), Ok(keys));
        }
        let texts = others.map(|keys: Keys| keys.to_string());
        assert_eq!(texts, parameters);
        assert_eq!("special:1,75".parse(), Ok(Keys::SPECIAL));
        assert_eq!("zipfian".parse::<Keys>().unwrap().to_string(), "zipfian:0.8");
    }

    #[test]
    fn wrong_distributions_are_refused_with_a_remedy() {
        let cases = [
            ("hot", "uniform, special"),
            ("uniform:1", "special:PERCENT,SHARE"),
            ("special:1", "special:PERCENT,SHARE"),
            ("special:101,75", "0 to 100"),
            ("special:1,101", "0 to 100"),
            ("special:1,75,0", "1 to 1000"),
            ("gaussian:0", "1 to 1000"),
            ("gaussian:2.5", "whole number"),
            ("pareto:0", "above 0 and below 1"),
            ("pareto:1", "above 0 and below 1"),
            ("pareto:nan", "above 0 and below 1"),
            ("pareto:", "a number"),
            ("pareto:0.2,0.3", "pareto:H"),
            ("zipfian:-1", "0 to 100"),
            ("zipfian:inf", "0 to 100"),
        ];
        for (text, remedy) in cases {
            let error = text.parse::<Keys>().unwrap_err().to_string();
            assert!(error.contains(remedy), "{text}: {error}");
        }
    }

    #[test]
    fn a_seed_always_gives_the_same_keys() {
        // Written down once: a change of a crate or of a formula must not go unseen.
        let first = Keys::all().map(|keys| {
            let mut rng = Stream::Window.rng(42);
            [(); 4].map(|()| keys.draw(&mut rng, 10_000))
        });
        let known = [
            [9858, 8948, 5938, 6481],
            [5050, 5040, 5010, 5015],
            [5027, 5189, 4422, 4981],
            [9014, 4484, 233, 438],
            [1, 7, 281, 170],
        ];
        assert_eq!(first, known);
    }

    fn any_keys() -> impl Strategy<Value = Keys> {
        prop_oneof![
            Just(Keys::Uniform),
            (0u32..=100, 0u32..=100, 1u32..20).prop_map(|(percent, share, numbers)| Keys::Special(
                Special::new(percent, share, numbers).unwrap()
            )),
            (1u32..20).prop_map(|numbers| Keys::Gaussian(Gaussian::new(numbers).unwrap())),
            (0.001f64..0.999).prop_map(|h| Keys::Pareto(Pareto::new(h).unwrap())),
            (0.0f64..10.0).prop_map(|exponent| Keys::Zipfian(Zipfian::new(exponent).unwrap())),
        ]
    }

    proptest! {
        #[test]
        fn keys_are_rows(keys in any_keys(), seed: u64, rows in prop_oneof![1u64..10, 1u64..3_000_000_000]) {
            let mut rng = Stream::Window.rng(seed);
            for _ in 0..50 {
                prop_assert!((1..=rows).contains(&keys.draw(&mut rng, rows)), "{keys}");
            }
        }

        #[test]
        fn any_text_is_a_distribution_or_an_error(text in "[a-z]*(:[0-9.,e-]*)?") {
            if let Ok(keys) = text.parse::<Keys>() {
                prop_assert_eq!(keys.to_string().parse(), Ok(keys));
            }
        }
    }
}
