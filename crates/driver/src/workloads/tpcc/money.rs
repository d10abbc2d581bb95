//! Amounts of money, in cents: sums of them are exact.

use crate::util::decimal::decimal;

/// An amount as a server takes it.
pub(crate) fn amount(cents: i64) -> String {
    decimal(cents, 2)
}

/// The cents of an amount with two decimals, as a server tells it; `None` of anything else.
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
