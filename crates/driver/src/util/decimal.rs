//! Decimal numbers without rounding.

/// Returns `scaled * 10^-places` as SQL text.
pub(crate) fn decimal(scaled: i64, places: u32) -> String {
    let sign = if scaled < 0 { "-" } else { "" };
    // Format without the sign, which would count as a digit.
    let digits = format!("{:0width$}", scaled.unsigned_abs(), width = places as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places as usize);
    match fraction {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_written() {
        for (scaled, places, text) in [
            (0, 0, "0"),
            (-7, 0, "-7"),
            (5, 2, "0.05"),
            (-5, 2, "-0.05"),
            (1_234, 2, "12.34"),
            (1_000, 3, "1.000"),
            (i64::MIN, 1, "-922337203685477580.8"),
        ] {
            assert_eq!(decimal(scaled, places), text);
        }
    }
}
