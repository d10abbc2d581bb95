//! Random values of one request or row.

use std::fmt::Write;

use logtrace_common::random::{Xoshiro256PlusPlus, below, nth_rng};

use crate::workloads::dataset::Dataset;

/// Number of values of a group of 11 digits.
const GROUP_VALUES: u64 = 100_000_000_000;
/// Number of groups in column `c`: 10 groups of 11 digits and 9 hyphens are 119 characters.
const C_GROUPS: usize = 10;
/// Number of groups in column `pad`: 59 characters.
const PAD_GROUPS: usize = 5;

/// Bits of a stream's base that are not part of request numbers.
const UNUSED_BITS: u32 = 8;

/// Source of random tables, keys and texts, drawn as sysbench's OLTP scripts do.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    dataset: Dataset,
    rng: Xoshiro256PlusPlus,
    number: u64,
}

impl Draw {
    /// Returns the values of request `number` of the stream with this base.
    pub(crate) fn request(dataset: Dataset, base: u64, number: u64) -> Self {
        Self {
            number: (base >> UNUSED_BITS).wrapping_add(number),
            ..Self::from_rng(dataset, nth_rng(base, number))
        }
    }

    /// Returns values from a generator.
    pub(crate) fn from_rng(dataset: Dataset, rng: Xoshiro256PlusPlus) -> Self {
        Self {
            dataset,
            rng,
            number: 0,
        }
    }

    /// Draws the index of a table, from 0, uniformly.
    pub(crate) fn table(&mut self) -> usize {
        // At most the number of tables, which is a u32.
        below(&mut self.rng, u64::from(self.dataset.tables)) as usize
    }

    /// Draws a key of the chosen distribution, in the type of a BIGINT parameter.
    pub(crate) fn key(&mut self) -> i64 {
        let key = self
            .dataset
            .keys
            .draw(&mut self.rng, u64::from(self.dataset.rows));
        // Within the rows, which are a u32.
        key as i64
    }

    /// Returns the generator, for values that sysbench's scripts do not have.
    pub(crate) fn rng(&mut self) -> &mut Xoshiro256PlusPlus {
        &mut self.rng
    }

    /// Returns a number below 2^57 that no other request of the same run has, or 0 for a row. Numbers of a stream are
    /// consecutive, and streams start at random numbers.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Draws a text for column `c`.
    pub(crate) fn c(&mut self) -> String {
        self.groups(C_GROUPS)
    }

    /// Draws a text for column `pad`.
    pub(crate) fn pad(&mut self) -> String {
        self.groups(PAD_GROUPS)
    }

    fn groups(&mut self, count: usize) -> String {
        let mut text = String::with_capacity(12 * count);
        for group in 0..count {
            let separator = if group == 0 { "" } else { "-" };
            let digits = below(&mut self.rng, GROUP_VALUES);
            // Writing to a String cannot fail.
            let _ = write!(text, "{separator}{digits:011}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use logtrace_common::random::Stream;
    use proptest::prelude::*;

    use super::*;
    use crate::workloads::keys::Keys;

    const DATASET: Dataset = Dataset {
        tables: 4,
        rows: 1000,
        keys: Keys::Uniform,
        seed: 1,
    };

    fn is_groups(text: &str, count: usize) -> bool {
        text.split('-').count() == count
            && text
                .split('-')
                .all(|group| group.len() == 11 && group.bytes().all(|byte| byte.is_ascii_digit()))
    }

    #[test]
    fn tables_are_drawn_uniformly() {
        let mut counts = [0u32; 4];
        for number in 0..40_000 {
            counts[Draw::request(DATASET, 9, number).table()] += 1;
        }
        // Five standard errors: sqrt(40000 * 1/4 * 3/4) = 87.
        assert!(
            counts.iter().all(|&count| count.abs_diff(10_000) < 433),
            "{counts:?}"
        );
    }

    #[test]
    fn requests_of_all_streams_have_different_numbers() {
        let streams = [Stream::Warmup, Stream::Window];
        let bases = [4, Stream::Capacity.base(4)].map(|seed| streams.map(|stream| stream.base(seed)));
        let numbers = bases
            .as_flattened()
            .iter()
            .flat_map(|&base| (0..1000).map(move |number| Draw::request(DATASET, base, number).number()));
        let numbers: BTreeSet<u64> = numbers.collect();
        assert_eq!(numbers.len(), 4000);
        assert!(numbers.iter().all(|&number| number < 1 << 57));
    }

    proptest! {
        #[test]
        fn texts_have_the_shape_of_sysbench(base: u64, number: u64) {
            let mut draw = Draw::request(DATASET, base, number);
            let (c, pad) = (draw.c(), draw.pad());
            prop_assert!(c.len() == 119 && is_groups(&c, 10));
            prop_assert!(pad.len() == 59 && is_groups(&pad, 5));
        }

        #[test]
        fn values_depend_on_the_request_number_alone(base: u64, number: u64) {
            let values = || {
                let mut draw = Draw::request(DATASET, base, number);
                (draw.table(), draw.key(), draw.c())
            };
            prop_assert_eq!(values(), values());
            let mut next = Draw::request(DATASET, base, number.wrapping_add(1));
            prop_assert_ne!(values(), (next.table(), next.key(), next.c()));
        }
    }
}
