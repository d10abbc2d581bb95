//! A half-open stretch of time.

/// The time from `start_ns` up to, not including, `end_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first nanosecond.
    pub start_ns: u64,
    /// The nanosecond after its last.
    pub end_ns: u64,
}

impl Window {
    /// From `start_ns` to `end_ns`; empty when these are in the wrong order.
    pub fn new(start_ns: u64, end_ns: u64) -> Self {
        Self { start_ns, end_ns }
    }

    /// How long it is, in nanoseconds.
    pub fn length_ns(self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// Whether no time is in it.
    pub fn is_empty(self) -> bool {
        self.end_ns <= self.start_ns
    }

    /// Whether the nanosecond `at_ns` is in it.
    pub fn contains(self, at_ns: u64) -> bool {
        self.start_ns <= at_ns && at_ns < self.end_ns
    }

    /// The part of it that is also in `other`.
    pub(crate) fn within(self, other: Self) -> Self {
        Self {
            start_ns: self.start_ns.max(other.start_ns),
            end_ns: self.end_ns.min(other.end_ns),
        }
    }

    /// Its part before `at_ns`.
    pub(crate) fn before(self, at_ns: u64) -> Self {
        Self::new(self.start_ns, self.end_ns.min(at_ns))
    }

    /// Its part from `at_ns` on.
    pub(crate) fn since(self, at_ns: u64) -> Self {
        Self::new(self.start_ns.max(at_ns), self.end_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_cut_in_two_loses_nothing() {
        let whole = Window::new(10, 20);
        for at_ns in 0..30 {
            let (before, since) = (whole.before(at_ns), whole.since(at_ns));
            assert_eq!(before.length_ns() + since.length_ns(), 10, "cut at {at_ns}");
            for ns in 0..30 {
                let parts = usize::from(before.contains(ns)) + usize::from(since.contains(ns));
                assert_eq!(parts, usize::from(whole.contains(ns)), "{ns} of a cut at {at_ns}");
            }
        }
    }

    #[test]
    fn windows_that_do_not_meet_share_nothing() {
        assert!(Window::new(0, 10).within(Window::new(10, 20)).is_empty());
        assert_eq!(
            Window::new(0, 12).within(Window::new(10, 20)),
            Window::new(10, 12)
        );
    }
}
