//! How late things came that were due in one window; pure.

use hdrhistogram::Histogram;

use crate::util::histogram::new_histogram;

/// How late each thing of a window came, and how many came before the window was over.
#[derive(Clone, Debug)]
pub struct Lags {
    late: Histogram<u64>,
    due: u64,
    in_time: u64,
    end_ns: u64,
}

impl Lags {
    /// Nothing was due yet. `end_ns` is when the window is over.
    pub fn of_window_until(end_ns: u64) -> Self {
        Self {
            late: new_histogram(),
            due: 0,
            in_time: 0,
            end_ns,
        }
    }

    /// Something was due, and came; what comes early is not late.
    pub fn came(&mut self, due_ns: u64, at_ns: u64) {
        self.late += at_ns.saturating_sub(due_ns);
        self.due += 1;
        self.in_time += u64::from(at_ns < self.end_ns);
    }

    /// So many more were due, and never came.
    pub fn missed(&mut self, count: u64) {
        self.due += count;
    }

    /// Those of another window too.
    pub fn add(&mut self, other: &Self) {
        self.late += &other.late;
        self.due += other.due;
        self.in_time += other.in_time;
    }

    /// How late each came, in nanoseconds.
    pub fn histogram(&self) -> &Histogram<u64> {
        &self.late
    }

    /// How many were due.
    pub fn due(&self) -> u64 {
        self.due
    }

    /// The share of what was due in its window that came in it: the rate that was kept to the rate that was asked
    /// for, whatever number chance made due. Not a number where nothing was due.
    pub fn achieved(&self) -> f64 {
        self.in_time as f64 / self.due as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_the_window_or_never_is_not_achieved() {
        let mut lags = Lags::of_window_until(1_000);
        lags.came(100, 130);
        lags.came(200, 190);
        lags.came(900, 1_000);
        lags.missed(1);
        assert_eq!((lags.due(), lags.histogram().len()), (4, 3));
        assert_eq!((lags.histogram().min(), lags.histogram().max()), (0, 100));
        assert_eq!(lags.achieved(), 0.5);
    }

    #[test]
    fn windows_add_up() {
        let mut both = Lags::of_window_until(1_000);
        both.came(0, 10);
        let mut later = Lags::of_window_until(2_000);
        later.came(1_500, 1_600);
        later.missed(2);
        both.add(&later);
        assert_eq!((both.due(), both.histogram().len(), both.achieved()), (4, 2, 0.5));
    }
}
