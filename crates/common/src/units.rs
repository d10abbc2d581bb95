//! Numbers as people read them: three significant digits, the fitting unit, thousands separated.

const DURATION_UNITS: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")];
const BYTE_UNITS: [(f64, &str); 5] = [
    (1.0, "B"),
    (1024.0, "KiB"),
    (1_048_576.0, "MiB"),
    (1_073_741_824.0, "GiB"),
    (1_099_511_627_776.0, "TiB"),
];

/// Formats nanoseconds as `845 ns`, `48.2 us`, `1.31 ms` or `12.5 s`.
pub fn duration(nanoseconds: u64) -> String {
    scaled(nanoseconds, &DURATION_UNITS)
}

/// Formats bytes as `512 B`, `4.00 KiB` or `1.21 GiB`.
pub fn bytes(bytes: u64) -> String {
    scaled(bytes, &BYTE_UNITS)
}

/// Formats a chosen size as `4 GiB` or `1.50 GiB`.
pub fn size(bytes: u64) -> String {
    let text = self::bytes(bytes);
    let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let whole = number
        .split_once('.')
        .filter(|(_, rest)| rest.bytes().all(|digit| digit == b'0'));
    format!("{} {unit}", whole.map_or(number, |(whole, _)| whole))
}

/// Formats a count as `35,988`.
pub fn count(count: u64) -> String {
    grouped(&count.to_string())
}

/// Formats a rate or another real number with one decimal, as `1,199.6`.
pub fn tenths(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.split_once('.') {
        Some((whole, tenth)) => format!("{}.{tenth}", grouped(whole)),
        // Infinite or not a number: shown as it is rather than hidden.
        None => text,
    }
}

/// Formats seconds as `30 s` or `0.5 s`.
pub fn seconds(seconds: f64) -> String {
    let text = tenths(seconds);
    format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
}

/// Formats a share as `18.8 %`, or `-` if the whole is 0.
pub fn percent(part: u64, whole: u64) -> String {
    share(part, whole).map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// Formats a share as `19 %`, or `-` if the whole is 0.
pub fn whole_percent(part: u64, whole: u64) -> String {
    share(part, whole).map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

/// Returns the nearest whole number: 0 for what is below 0, and the largest `u64` for what is above it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers out of range become the nearest one in range"
)]
pub fn whole(value: f64) -> u64 {
    value.round() as u64
}

/// Returns a share from 0 to 1, or `None` if the whole is 0.
pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole != 0).then(|| real(part) / real(whole))
}

/// Returns `total / count`, rounded to the nearest, or `None` if the count is 0.
pub fn mean(total: u64, count: u64) -> Option<u64> {
    let half = u128::from(count / 2);
    let mean = (u128::from(total) + half).checked_div(u128::from(count))?;
    u64::try_from(mean).ok()
}

/// Formats `total / count` nanoseconds, or returns `-` if the count is 0.
pub fn mean_duration(total: u64, count: u64) -> String {
    mean(total, count).map_or_else(|| "-".to_owned(), duration)
}

/// Returns the sum, or the largest number if the sum is larger.
pub fn sum(parts: impl IntoIterator<Item = u64>) -> u64 {
    parts.into_iter().fold(0, u64::saturating_add)
}

/// Converts a count or a time to a real number.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share or a rounded number needs no more than the 53 bits of an f64"
)]
pub fn real(value: u64) -> f64 {
    value as f64
}

/// Formats the value in the largest unit in which it is at least 1, rounded to three digits unless the unit is the first.
fn scaled(value: u64, units: &[(f64, &str)]) -> String {
    // 999.6 us would be printed as 1000 us: it is 1.00 ms.
    let largest = units.iter().rfind(|(size, _)| real(value) / size >= 0.9995);
    match largest.filter(|(size, _)| *size > 1.0) {
        Some((size, unit)) => format!("{} {unit}", three_digits(real(value) / size)),
        None => format!("{value} {}", units[0].1),
    }
}

fn three_digits(value: f64) -> String {
    if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        grouped(&format!("{value:.0}"))
    }
}

/// Adds commas between thousands.
fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.char_indices() {
        let left = digits.len() - index;
        if left.is_multiple_of(3) && out.ends_with(|last: char| last.is_ascii_digit()) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_duration_has_three_digits_and_the_fitting_unit() {
        let expected = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 us"),
            (48_200, "48.2 us"),
            (310_000, "310 us"),
            (999_499, "999 us"),
            (999_600, "1.00 ms"),
            (1_312_000, "1.31 ms"),
            (9_996_000, "10.0 ms"),
            (12_500_000_000, "12.5 s"),
            (7_200_000_000_000, "7,200 s"),
        ];
        for (nanoseconds, text) in expected {
            assert_eq!(duration(nanoseconds), text, "{nanoseconds} ns");
        }
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(tenths(1_199.64), "1,199.6");
        assert_eq!(tenths(-1_234.5), "-1,234.5");
        assert_eq!(tenths(-123.0), "-123.0");
        assert_eq!(seconds(30.0), "30 s");
        assert_eq!(bytes(4_096), "4.00 KiB");
        assert_eq!(size(4 << 30), "4 GiB");
        assert_eq!(size(3 << 29), "1.50 GiB");
        assert_eq!(size(100 << 30), "100 GiB");
    }

    #[test]
    fn a_part_of_nothing_has_no_percentage() {
        assert_eq!(percent(0, 0), "-");
        assert_eq!(whole_percent(0, 0), "-");
        assert_eq!(mean(0, 0), None);
    }

    fn parse(text: &str, units: &[(f64, &str)], base: &str) -> f64 {
        let (number, unit) = text.split_once(' ').unwrap();
        let number: f64 = number.replace(',', "").parse().unwrap();
        let size = units.iter().find(|(_, name)| *name == unit);
        assert!(size.is_some() || unit == base, "{text}");
        number * size.map_or(1.0, |(size, _)| *size)
    }

    proptest! {
        #[test]
        fn a_duration_reads_back_within_its_digits(nanoseconds in 0u64..1 << 55) {
            let read = parse(&duration(nanoseconds), &DURATION_UNITS, "ns");
            prop_assert!((read - real(nanoseconds)).abs() <= real(nanoseconds) * 0.005_01);
        }

        #[test]
        fn bytes_read_back_within_their_digits(given in 0u64..1 << 55) {
            let read = parse(&bytes(given), &BYTE_UNITS, "B");
            prop_assert!((read - real(given)).abs() <= real(given) * 0.005_01);
        }

        #[test]
        fn a_count_reads_back_exactly(given: u64) {
            prop_assert_eq!(count(given).replace(',', "").parse::<u64>().ok(), Some(given));
        }

        #[test]
        fn a_mean_is_the_nearest_whole_number(total: u64, number in 1u64..1 << 40) {
            let mean = u128::from(mean(total, number).unwrap());
            let error = (mean * u128::from(number)).abs_diff(u128::from(total));
            prop_assert!(error * 2 <= u128::from(number));
        }

        #[test]
        fn shares_of_a_whole_sum_to_it(parts in proptest::collection::vec(0u64..1 << 40, 1..20)) {
            let whole: u64 = parts.iter().sum();
            prop_assume!(whole > 0);
            let sum: f64 = parts
                .iter()
                .map(|&part| percent(part, whole).trim_end_matches(" %").parse::<f64>().unwrap())
                .sum();
            prop_assert!((sum - 100.0).abs() <= 0.05 * real(parts.len() as u64) + 1e-9, "{sum}");
        }
    }
}
