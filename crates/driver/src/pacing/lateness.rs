//! Lateness of events that were due in one window.

use hdrhistogram::Histogram;

use crate::util::new_histogram;

/// Lateness of each event of a window, and the number of events before the end of the window.
#[derive(Clone, Debug)]
pub struct Lateness {
    late: Histogram<u64>,
    due: u64,
    in_time: u64,
    end_ns: u64,
}

impl Lateness {
    /// Creates the lateness of a window that ends at `end_ns`, without events.
    pub fn new(end_ns: u64) -> Self {
        Self {
            late: new_histogram(),
            due: 0,
            in_time: 0,
            end_ns,
        }
    }

    /// Records an event. An early event has a lateness of 0.
    pub fn record(&mut self, due_ns: u64, at_ns: u64) {
        self.late += at_ns.saturating_sub(due_ns);
        self.due += 1;
        self.in_time += u64::from(at_ns < self.end_ns);
    }

    /// Records events that were due and did not happen.
    pub fn record_missed(&mut self, count: u64) {
        self.due += count;
    }

    /// Adds the events of another window.
    pub fn add(&mut self, other: &Self) {
        self.late += &other.late;
        self.due += other.due;
        self.in_time += other.in_time;
    }

    /// Returns the histogram of lateness in nanoseconds.
    pub fn histogram(&self) -> &Histogram<u64> {
        &self.late
    }

    /// Returns the number of events that were due.
    pub fn due(&self) -> u64 {
        self.due
    }

    /// Returns the share of due events that happened in their window: the achieved rate divided by the offered rate. It
    /// is NaN if no event was due.
    pub fn achieved(&self) -> f64 {
        self.in_time as f64 / self.due as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_the_window_or_never_is_not_achieved() {
        let mut lateness = Lateness::new(1_000);
        lateness.record(100, 130);
        lateness.record(200, 190);
        lateness.record(900, 1_000);
        lateness.record_missed(1);
        assert_eq!((lateness.due(), lateness.histogram().len()), (4, 3));
        assert_eq!((lateness.histogram().min(), lateness.histogram().max()), (0, 100));
        assert_eq!(lateness.achieved(), 0.5);
    }

    #[test]
    fn windows_add_up() {
        let mut both = Lateness::new(1_000);
        both.record(0, 10);
        let mut later = Lateness::new(2_000);
        later.record(1_500, 1_600);
        later.record_missed(2);
        both.add(&later);
        assert_eq!((both.due(), both.histogram().len(), both.achieved()), (4, 2, 0.5));
    }
}
