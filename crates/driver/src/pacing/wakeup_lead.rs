//! Lead of the timer before a due time.

/// Time in nanoseconds by which the timer is set before the due time: the median lateness of wake-ups, learned from
/// each of them.
///
/// A timer wakes a thread 20 to 50 us late, with little variation. The thread spins for the rest of the lead. Half of the
/// wake-ups leave no rest, so spinning costs only the variation of wake-ups, not their whole length: about 4 us of CPU a
/// request. It is not the default, because on a small machine that time belongs to the server.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WakeupLead {
    /// Lead; `None` before the first wake-up.
    ns: Option<u64>,
}

/// Longest lead. A thread that wakes later than this competes with others for its CPU, and spinning would take it from
/// them.
const LONGEST_NS: u64 = 80_000;

/// Smallest step of the lead. A step is otherwise 1/32 of the lead, so the lead varies by 3 %.
const SMALLEST_STEP_NS: u64 = 500;
const LARGEST_STEP: u64 = 32;

impl WakeupLead {
    /// Returns the lead for the next wake-up.
    pub(crate) fn ns(self) -> u64 {
        self.ns.unwrap_or(0)
    }

    /// Learns from a wake-up that was `late_ns` after its timer. The first one sets the lead. Later ones move it by one
    /// step up or down, whatever the distance: this finds the median, which a few very late wake-ups do not move.
    pub(crate) fn learn(&mut self, late_ns: u64) {
        let lead_ns = match self.ns {
            None => late_ns,
            Some(ns) => {
                let step = (ns / LARGEST_STEP).max(SMALLEST_STEP_NS);
                if late_ns > ns {
                    ns + step
                } else {
                    ns.saturating_sub(step)
                }
            }
        };
        self.ns = Some(lead_ns.min(LONGEST_NS));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn after(late_ns: impl IntoIterator<Item = u64>) -> u64 {
        let mut lead = WakeupLead::default();
        late_ns.into_iter().for_each(|late_ns| lead.learn(late_ns));
        lead.ns()
    }

    #[test]
    fn it_is_the_median_whatever_the_latest_do() {
        let late = [30_000, 45_000, 40_000, 3_000_000, 35_000].repeat(60);
        let ns = after(late.iter().copied());
        assert!((35_000..=45_000).contains(&ns), "{ns}");
        let calmer = after(late.into_iter().chain([10_000; 100]));
        assert!((9_000..=11_000).contains(&calmer), "{calmer}");
    }

    #[test]
    fn it_begins_with_the_first_wake_up_and_forgets_one_that_was_far_off() {
        assert_eq!(after([]), 0);
        assert_eq!(after([50_000]), 50_000);
        let ns = after([3_000_000].into_iter().chain([30_000; 40]));
        assert!((29_000..=31_000).contains(&ns), "{ns}");
    }

    proptest! {
        #[test]
        fn it_is_never_longer_than_the_longest(late in proptest::collection::vec(any::<u64>(), 0..1000)) {
            prop_assert!(after(late) <= LONGEST_NS);
        }
    }
}
