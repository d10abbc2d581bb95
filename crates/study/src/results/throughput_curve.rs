//! Throughput of a window over time.

use crate::results::stalls::merged_slices;
use crate::results::window_series::WindowSeries;

/// Throughput of a window over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThroughputCurve {
    /// Length of a slice in seconds.
    pub slice_s: f64,
    /// Requests a second in each slice.
    pub rates: Vec<f64>,
}

impl ThroughputCurve {
    /// Returns the curve of a window. Its slices are those in which stalls are looked for, or seconds where
    /// the load is too low to look for any.
    pub(crate) fn new(series: &WindowSeries) -> Self {
        let (slice_s, mut rates) = match merged_slices(series) {
            Some((slices, slice_ns, _)) => {
                let slice_s = slice_ns as f64 / 1e9;
                let rates = slices.iter().map(|slice| slice.done as f64 / slice_s);
                (slice_s, rates.collect::<Vec<_>>())
            }
            None => (1.0, series.per_second()),
        };
        // The last slice of a window may be shorter than the others.
        let window_s = series.slice_ns as f64 / 1e9 * series.slices.len() as f64;
        rates.truncate((window_s / slice_s + 1e-6).floor() as usize);
        Self { slice_s, rates }
    }

    /// Returns the length of the curve in seconds.
    pub fn length_s(&self) -> f64 {
        self.slice_s * self.rates.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::window_series::WindowSlice;

    fn series(done: &[u64]) -> WindowSeries {
        let slices = done.iter().map(|&done| WindowSlice {
            done,
            ..WindowSlice::default()
        });
        WindowSeries {
            slice_ns: 100_000_000,
            slices: slices.collect(),
            ..WindowSeries::default()
        }
    }

    fn curve(done: &[u64]) -> ThroughputCurve {
        ThroughputCurve::new(&series(done))
    }

    #[test]
    fn slices_are_as_long_as_their_requests_need() {
        let busy = curve(&[30; 10]);
        assert_eq!((busy.slice_s, busy.rates), (0.1, vec![300.0; 10]));
        let slower = curve(&[12; 21]);
        assert_eq!(
            (slower.slice_s, slower.rates),
            (0.2, vec![120.0; 10]),
            "the last tenth is no whole slice"
        );
        let idle = curve(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0]);
        assert_eq!((idle.slice_s, idle.rates), (1.0, vec![2.0]));
        assert_eq!(curve(&[]).rates, [0.0; 0]);
    }
}
