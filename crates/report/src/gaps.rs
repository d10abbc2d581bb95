//! When records were lost.

use crate::window::Window;

/// Gaps that are kept at least; older ones are forgotten, this many at a time. They are read a few times a second, and
/// those that meet are one.
const KEPT: usize = 512;

/// Stretches of time in which records may be missing, in order.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    kept: Vec<Window>,
}

impl Gaps {
    /// Adds one, which begins no earlier than those before it.
    pub(crate) fn push(&mut self, gap: Window) {
        match self.kept.last_mut() {
            Some(last) if gap.start_ns <= last.end_ns => last.end_ns = last.end_ns.max(gap.end_ns),
            _ => {
                if self.kept.len() == 2 * KEPT {
                    self.kept.drain(..KEPT);
                }
                self.kept.push(gap);
            }
        }
    }

    /// Whether any is in `window`.
    pub(crate) fn meet(&self, window: Window) -> bool {
        let after = self.kept.partition_point(|gap| gap.end_ns <= window.start_ns);
        self.kept
            .get(after)
            .is_some_and(|gap| !gap.within(window).is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_meets_the_gaps_in_it_and_no_others() {
        let mut gaps = Gaps::default();
        assert!(!gaps.meet(Window::new(0, 100)));
        for (start_ns, end_ns) in [(10, 20), (15, 30), (50, 60)] {
            gaps.push(Window::new(start_ns, end_ns));
        }
        for (start_ns, end_ns, meets) in [
            (0, 10, false),
            (0, 11, true),
            (29, 31, true),
            (30, 50, false),
            (0, 100, true),
            (59, 70, true),
            (60, 70, false),
            (55, 55, false),
        ] {
            assert_eq!(
                gaps.meet(Window::new(start_ns, end_ns)),
                meets,
                "{start_ns} to {end_ns}"
            );
        }
    }

    #[test]
    fn they_take_bounded_memory() {
        let mut gaps = Gaps::default();
        for number in 0..10_000 {
            gaps.push(Window::new(20 * number, 20 * number + 10));
        }
        assert!(gaps.kept.len() <= 2 * KEPT);
        assert!(gaps.meet(Window::new(20 * 9_999, 20 * 9_999 + 1)));
    }
}
