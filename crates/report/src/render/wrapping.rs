//! Lines of a width that keep a number with its name and its unit.

use std::borrow::Cow;

use logtrace_common::inert;
use textwrap::Options;

/// Blank at which no line is broken. Lines that are done have plain ones.
const NO_BREAK: char = '\u{a0}';

/// Units after a number.
const UNITS: [&str; 15] = [
    "%", "ns", "us", "ms", "s", "B", "KiB", "MiB", "GiB", "TiB", "MB/s", "/s", "CPU", "CPUs", "min",
];

/// Wraps a text of one paragraph.
pub(crate) fn wrapped<'a>(text: &str, options: impl Into<Options<'a>>) -> Vec<String> {
    let text = kept_together(&inert::line(text));
    let lines = textwrap::wrap(&text, options).into_iter();
    lines.map(Cow::into_owned).map(|line| plain(&line)).collect()
}

/// Returns a text in which a number and the word before it, and a number and its unit, have a blank between them that no line
/// ends at.
pub(crate) fn kept_together(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut out = String::with_capacity(text.len());
    for (at, word) in words.iter().enumerate() {
        if let Some(before) = at.checked_sub(1).map(|before| words[before]) {
            out.push(if belong(before, word) { NO_BREAK } else { ' ' });
        }
        out.push_str(word);
    }
    out
}

/// Returns a text with plain blanks again.
pub(crate) fn plain(text: &str) -> String {
    text.replace(NO_BREAK, " ")
}

fn belong(before: &str, word: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let names_number = before.ends_with(char::is_alphabetic) && word.starts_with(is_digit);
    // The end of an interval stands directly after a unit, `1.02 ms..1.16 ms`, and so does the next line of a cell.
    let unit = word
        .split("..")
        .next()
        .unwrap_or(word)
        .lines()
        .next()
        .unwrap_or(word);
    let unit = unit.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '%');
    let has_unit = before.ends_with(is_digit) && UNITS.contains(&unit);
    // Marks of an entry of a table.
    let is_mark = ["!", "*"].contains(&word.lines().next().unwrap_or(word));
    names_number || has_unit || is_mark
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_number_stays_with_its_name_and_its_unit() {
        let text =
            "by kind: storage 81 %, scheduling 12, unexplained 0, and 1.02 ms (1.00 ms..1.16 ms) of it";
        for width in 20..80 {
            let lines = wrapped(text, width);
            assert_eq!(lines.join(" "), text, "{width}");
            for line in &lines {
                let first = line.split(' ').next().unwrap();
                assert!(
                    !first.starts_with(|c: char| c.is_ascii_digit()) && !first.starts_with('%'),
                    "{lines:?}"
                );
                assert!(!["ms)", "ms", "ms..1.16"].contains(&first), "{lines:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn only_blanks_become_ends_of_lines(text in "[a-z0-9%,. ]{0,80}", width in 10usize..60) {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().concat();
            prop_assert_eq!(words(&wrapped(&text, width).join(" ")), words(&text));
        }
    }
}
