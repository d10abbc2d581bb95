//! Long lists of numbers as one short text.

use std::{io, mem};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use crate::deflated::{deflated, inflated};

/// Bits of a number in one byte; the highest bit says that another byte follows.
const BITS: u32 = 7;
const MORE: u8 = 1 << BITS;

/// Entry of a list: numbers, the first of which never falls from one entry to the next.
pub(super) trait Numbers<const N: usize>: Sized {
    fn numbers(&self) -> [u64; N];

    /// Returns the entry with these numbers, if there can be one.
    fn of(numbers: [u64; N]) -> Option<Self>;
}

/// Serializes a list as a text. Of the first number of each entry it has the difference from the entry before.
pub(super) fn serialize<const N: usize, T: Numbers<N>, S: Serializer>(
    list: &[T],
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut before = 0;
    let numbers = list.iter().flat_map(|entry| {
        let mut numbers = entry.numbers();
        numbers[0] -= mem::replace(&mut before, numbers[0]);
        numbers
    });
    pack(numbers).map_err(ser::Error::custom)?.serialize(to)
}

/// Reads a list back.
pub(super) fn deserialize<'de, const N: usize, T: Numbers<N>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let text = String::deserialize(from)?;
    let numbers = unpack(&text).ok_or_else(|| de::Error::custom("numbers are damaged"))?;
    let (entries, []) = numbers.as_chunks::<N>() else {
        return Err(de::Error::custom("numbers are missing"));
    };
    let mut first: u64 = 0;
    let entries = entries.iter().map(|&(mut numbers)| {
        first = first.checked_add(numbers[0])?;
        numbers[0] = first;
        T::of(numbers)
    });
    let entries: Option<_> = entries.collect();
    entries.ok_or_else(|| de::Error::custom("numbers are out of range"))
}

/// Returns the numbers as text: each as a LEB128 number, the lowest seven bits first.
fn pack(numbers: impl IntoIterator<Item = u64>) -> io::Result<String> {
    let mut bytes = Vec::new();
    for mut number in numbers {
        while number >= u64::from(MORE) {
            bytes.push(low_bits(number) | MORE);
            number >>= BITS;
        }
        bytes.push(low_bits(number));
    }
    deflated(&bytes)
}

/// Returns the numbers of a text, or `None` if it is not one of [`pack`] or too long.
fn unpack(text: &str) -> Option<Vec<u64>> {
    let bytes = inflated(text)?;
    if bytes.last().is_some_and(|last| last & MORE != 0) {
        return None;
    }
    let numbers = bytes.split_inclusive(|byte| byte & MORE == 0);
    numbers.map(number).collect()
}

/// Returns the number in these bytes, unless it has more than 64 bits.
fn number(bytes: &[u8]) -> Option<u64> {
    let mut number = 0;
    for byte in bytes.iter().rev() {
        number = u64::checked_mul(number, u64::from(MORE))?;
        number |= u64::from(byte & !MORE);
    }
    Some(number)
}

#[expect(clippy::cast_possible_truncation, reason = "it masks all but seven bits")]
fn low_bits(number: u64) -> u8 {
    (number & u64::from(MORE - 1)) as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_read_back(numbers in proptest::collection::vec(any::<u64>(), 0..200)) {
            let text = pack(numbers.iter().copied()).unwrap();
            prop_assert_eq!(unpack(&text), Some(numbers));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[a-zA-Z0-9+/=]{0,40}") {
            let _ = unpack(&text);
        }
    }

    #[test]
    fn what_is_cut_or_too_large_is_refused() {
        let packed = |bytes: &[u8]| deflated(bytes).unwrap();
        assert_eq!(unpack(&packed(&[0xac, 0x02, 5])), Some(vec![300, 5]));
        assert_eq!(unpack(&packed(&[5, 0x80])), None);
        assert_eq!(unpack(&packed(&[0xff; 10])), None);
        let mut most = [0xff; 10];
        most[9] = 1;
        assert_eq!(unpack(&packed(&most)), Some(vec![u64::MAX]));
        most[9] = 2;
        assert_eq!(unpack(&packed(&most)), None);
    }
}
