//! Pearson's chi-square test of drawn numbers.

/// Result of a test.
#[derive(Clone, Copy, Debug)]
pub struct ChiSquare {
    /// Number of compared cells, less one.
    freedom: usize,
    statistic: f64,
}

/// Least number of expected draws in a cell, below which the statistic does not follow its distribution. Smaller cells
/// are joined.
const LEAST: f64 = 10.0;

/// Fewer draws than this are expected of a row only by rounding: the formula has none there.
const IMPOSSIBLE: f64 = 1e-6;

/// Standard normal deviations beyond which chance is ruled out: a probability of 3 in 100,000. Seeds are fixed, so
/// that a test is rejected always or never.
const REJECTED: f64 = 4.0;

impl ChiSquare {
    /// Returns whether chance cannot explain the deviation.
    pub fn is_rejected(&self) -> bool {
        let freedom = self.freedom as f64;
        if self.freedom == 0 {
            return self.statistic > 0.0;
        }
        // E. B. Wilson and M. M. Hilferty, "The distribution of chi-square", PNAS 17 (1931): its cube root is
        // nearly normal.
        let spread = 2.0 / (9.0 * freedom);
        let normal = ((self.statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt();
        normal > REJECTED
    }
}

/// Compares the number of draws of each row with its expected share.
///
/// # Panics
///
/// If there are not as many shares as counts, or if the shares do not add up to 1.
pub fn against(counts: &[u64], shares: &[f64]) -> ChiSquare {
    let draws = counts.iter().sum::<u64>() as f64;
    assert_eq!(counts.len(), shares.len());
    assert!(
        (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9,
        "shares are of a whole"
    );
    let rows = || {
        counts
            .iter()
            .zip(shares)
            .map(|(&count, &share)| (count as f64, share * draws))
    };
    let impossible = rows().any(|(count, expected)| count > 0.0 && expected < IMPOSSIBLE);
    let mut verdict = verdict(joined(rows()), |count, expected| {
        (count - expected).powi(2) / expected
    });
    if impossible {
        verdict.statistic = f64::INFINITY;
    }
    verdict
}

/// Compares the draws of two generators.
///
/// # Panics
///
/// If one has more draws than the other.
pub fn between(ours: &[u64], theirs: &[u64]) -> ChiSquare {
    assert_eq!(ours.iter().sum::<u64>(), theirs.iter().sum::<u64>());
    let rows = ours
        .iter()
        .zip(theirs)
        .map(|(&our, &their)| (our as f64, our as f64 + their as f64));
    // Half of both is expected of each, and both deviate from it by as much.
    verdict(joined(rows), |our, both| (2.0 * our - both).powi(2) / both)
}

fn verdict(cells: Vec<(f64, f64)>, deviation: impl Fn(f64, f64) -> f64) -> ChiSquare {
    ChiSquare {
        freedom: cells.len() - 1,
        statistic: cells.into_iter().map(|(a, b)| deviation(a, b)).sum(),
    }
}

/// Joins neighbouring cells until the second number of each is large enough. What remains is added to the last cell.
fn joined(rows: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (first, second) in rows {
        open = (open.0 + first, open.1 + second);
        if open.1 >= LEAST {
            cells.push(std::mem::take(&mut open));
        }
    }
    if let Some(last) = cells.last_mut() {
        *last = (last.0 + open.0, last.1 + open.1);
    }
    cells
}
