//! Test assertions on whether drawn counts fit given shares.

use logtrace_testkit::chi_square::against;

/// Asserts that these counts may come from these shares.
pub(crate) fn assert_fits(counts: &[u64], shares: &[f64]) {
    let verdict = against(counts, shares);
    assert!(!verdict.is_rejected(), "{verdict:?}: {counts:?} of {shares:?}");
}

/// Asserts that these counts do not come from these shares.
pub(crate) fn assert_misfits(counts: &[u64], shares: &[f64]) {
    assert!(against(counts, shares).is_rejected());
}
