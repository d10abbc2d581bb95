//! Pearson's chi-square test, for the tests of what is drawn.

/// Expected draws that a cell needs for the statistic to follow its distribution; neighbours are joined until then.
const LEAST: f64 = 10.0;

/// Standard normal deviations beyond which chance is ruled out: 3 in 100,000. Seeds are fixed, so that a test is
/// rejected always or never.
const REJECTED: f64 = 4.0;

/// Fails unless these counts may come from these shares.
pub(crate) fn assert_fits(counts: &[u64], shares: &[f64]) {
    let deviation = deviation(counts, shares);
    assert!(
        deviation < REJECTED,
        "{deviation} standard deviations: {counts:?} of {shares:?}"
    );
}

/// Fails if they may.
pub(crate) fn assert_misfits(counts: &[u64], shares: &[f64]) {
    assert!(deviation(counts, shares) > REJECTED);
}

/// How far the chi-square statistic is from its mean, as a standard normal variable (Wilson and Hilferty 1931).
fn deviation(counts: &[u64], shares: &[f64]) -> f64 {
    assert_eq!(counts.len(), shares.len());
    assert!(
        (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9,
        "shares are of a whole"
    );
    let draws = counts.iter().sum::<u64>() as f64;
    let (mut cells, mut open) = (Vec::new(), (0.0, 0.0));
    for (&count, share) in counts.iter().zip(shares) {
        open = (open.0 + count as f64, open.1 + share * draws);
        if open.1 >= LEAST {
            cells.push(std::mem::take(&mut open));
        }
    }
    let last = cells.last_mut().expect("enough draws");
    *last = (last.0 + open.0, last.1 + open.1);
    let statistic: f64 = cells
        .iter()
        .map(|(seen, expected)| (seen - expected).powi(2) / expected)
        .sum();
    let freedom = (cells.len() - 1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    ((statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}
