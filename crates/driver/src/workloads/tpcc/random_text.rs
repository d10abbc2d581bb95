//! Random texts (clause 4.3.2.2) and last names (clause 4.3.2.3).

use logtrace_common::random::{Rng, below};

use crate::workloads::tpcc::nurand::uniform;

const LETTERS_AND_DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LETTERS: &[u8] = LETTERS_AND_DIGITS.split_at(26).0;
const DIGITS: &[u8] = b"0123456789";

/// Word in the data of a tenth of the items, and of a tenth of the stock.
const ORIGINAL: &str = "ORIGINAL";

/// Syllables of last names, by digit.
const SYLLABLES: [&str; 10] = [
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING",
];

/// Draws letters and digits, with a length from `min` to `max`.
pub(crate) fn letters_and_digits(rng: &mut impl Rng, min: u32, max: u32) -> String {
    let length = uniform(rng, min, max);
    characters(LETTERS_AND_DIGITS, rng, length)
}

/// Draws capital letters.
pub(crate) fn letters(rng: &mut impl Rng, length: u32) -> String {
    characters(LETTERS, rng, length)
}

/// Draws digits.
pub(crate) fn digits(rng: &mut impl Rng, length: u32) -> String {
    characters(DIGITS, rng, length)
}

/// Draws the data of an item or its stock: one in ten has the word ORIGINAL somewhere.
pub(crate) fn data(rng: &mut impl Rng) -> String {
    let mut data = letters_and_digits(rng, 26, 50);
    if below(rng, 10) == 0 {
        let at = below(rng, (data.len() - ORIGINAL.len() + 1) as u64) as usize;
        data.replace_range(at..at + ORIGINAL.len(), ORIGINAL);
    }
    data
}

/// Returns the last name of this number, 0 to 999: a syllable for each digit.
pub(crate) fn last_name(number: u32) -> String {
    [number / 100 % 10, number / 10 % 10, number % 10]
        .map(|digit| SYLLABLES[digit as usize])
        .concat()
}

/// Draws two characters for each random number: a warehouse has 60 million of them.
fn characters(alphabet: &[u8], rng: &mut impl Rng, length: u32) -> String {
    let mut text = String::with_capacity(length as usize + 1);
    let pick = |half: u64| char::from(alphabet[((half * alphabet.len() as u64) >> 32) as usize]);
    while text.len() < length as usize {
        let number = rng.next_u64();
        text.push(pick(number >> 32));
        text.push(pick(number & u64::from(u32::MAX)));
    }
    text.truncate(length as usize);
    text
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::Stream;

    use super::*;
    use crate::util::test_fit::assert_fits;

    #[test]
    fn characters_and_lengths_are_uniform() {
        let mut rng = Stream::Load(1).rng(1);
        let (mut characters, mut lengths) = ([0; 62], [0; 11]);
        for _ in 0..20_000 {
            let text = letters_and_digits(&mut rng, 14, 24);
            lengths[text.len() - 14] += 1;
            for c in text.bytes() {
                characters[LETTERS_AND_DIGITS.iter().position(|&of| of == c).unwrap()] += 1;
            }
        }
        assert_fits(&characters, &[1.0 / 62.0; 62]);
        assert_fits(&lengths, &[1.0 / 11.0; 11]);
        assert!(letters(&mut rng, 50).bytes().all(|c| c.is_ascii_uppercase()));
        assert!(digits(&mut rng, 50).bytes().all(|c| c.is_ascii_digit()));
    }

    #[test]
    fn a_tenth_has_the_word_original() {
        let mut rng = Stream::Load(1).rng(1);
        let data: Vec<String> = (0..20_000).map(|_| data(&mut rng)).collect();
        assert!(data.iter().all(|data| (26..=50).contains(&data.len())));
        let original = data.iter().filter(|data| data.contains(ORIGINAL)).count() as u64;
        assert_fits(&[original, 20_000 - original], &[0.1, 0.9]);
    }

    #[test]
    fn a_name_has_a_syllable_for_each_digit() {
        assert_eq!(last_name(371), "PRICALLYOUGHT");
        assert_eq!(last_name(40), "BARPRESBAR");
        let mut names: Vec<String> = (0..1000).map(last_name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 1000);
    }
}
