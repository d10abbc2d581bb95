//! Whether what was drawn may come from given shares, for the tests.

use logtrace_testkit::chi_square::against;

/// Fails unless these counts may come from these shares.
pub(crate) fn assert_fits(counts: &[u64], shares: &[f64]) {
    let verdict = against(counts, shares);
    assert!(!verdict.is_rejected(), "{verdict:?}: {counts:?} of {shares:?}");
}

/// Fails if they may.
pub(crate) fn assert_misfits(counts: &[u64], shares: &[f64]) {
    assert!(against(counts, shares).is_rejected());
}
