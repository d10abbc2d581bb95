//! Helpers that know nothing of requests.

pub(crate) mod clock;
pub(crate) mod decimal;
pub(crate) mod marker;
pub(crate) mod runtime;

use std::io;
use std::os::fd::OwnedFd;

use hdrhistogram::Histogram;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Registers a descriptor with the runtime for `interest` only.
#[expect(
    unsafe_code,
    reason = "tokio has no safe way to wait for a descriptor of a kind that it does not know"
)]
pub(crate) fn register(descriptor: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an OwnedFd is open for as long as it lives and always is the same descriptor; the AsyncFd owns it,
    // and nothing here takes it out again.
    let registered = unsafe { AsyncFd::register_with_interest(descriptor, interest) };
    Ok(registered?)
}

/// Significant digits of every histogram: values have an error of up to 0.1 %.
const SIGNIFICANT_DIGITS: u8 = 3;

/// Creates an empty histogram of nanoseconds. It grows as needed, so no value is cut off.
#[expect(clippy::expect_used, reason = "the precision is a constant that is valid")]
pub(crate) fn new_histogram() -> Histogram<u64> {
    Histogram::new(SIGNIFICANT_DIGITS).expect("3 significant digits are valid")
}

/// Returns the lines that are not empty, with their numbers from 1, without comments (from `#` on) and outer blanks.
pub(crate) fn content_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    lines
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(index, line)| (index + 1, line))
}

/// Test assertions on whether drawn counts fit given shares.
#[cfg(test)]
pub(crate) mod test_fit {
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
}
