//! Customers' last names (clause 4.3.2.3).

const SYLLABLES: [&str; 10] = [
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING",
];

/// The name of this number, of 0 to 999: a syllable for each digit.
pub(crate) fn last_name(number: u32) -> String {
    [number / 100 % 10, number / 10 % 10, number % 10]
        .map(|digit| SYLLABLES[digit as usize])
        .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

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
