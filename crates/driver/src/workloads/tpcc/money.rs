//! Amounts of money in cents, so that sums are exact.

use crate::util::decimal::decimal;

/// Returns the amount as the server reads it.
pub(crate) fn amount(cents: i64) -> String {
    decimal(cents, 2)
}

/// Returns the cents of an amount with two decimals, as the server writes it, or `None` for any other text.
pub(crate) fn cents(amount: &str) -> Option<i64> {
    let (whole, fraction) = amount.split_once('.')?;
    (fraction.len() == 2)
        .then(|| format!("{whole}{fraction}").parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_back() {
        for (written, meant) in [
            ("0.05", 5),
            ("-10.00", -1000),
            ("300000.00", 30_000_000),
            ("-0.07", -7),
        ] {
            assert_eq!(cents(written), Some(meant));
            assert_eq!(amount(meant), written);
        }
        assert_eq!([cents("1"), cents("1.5"), cents("a.bc")], [None; 3]);
    }
}
