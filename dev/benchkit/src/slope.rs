//! Slope of a series over time, with its error; pure.

/// Batches whose means the line is drawn through: neighbouring samples depend on each other, means of long batches hardly.
const BATCHES: usize = 10;

/// Quantile 0.975 of Student's distribution with 8 degrees of freedom: `BATCHES` less the two numbers of a line.
const QUANTILE: f64 = 2.306;

/// Seconds of an hour.
const HOUR_S: f64 = 3600.0;

/// Slope of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// Growth in an hour.
    pub per_hour: f64,
    /// Half of the 95 % interval of the growth.
    pub error: f64,
}

impl Slope {
    /// Draws the line of least squares through the means of ten batches of samples (seconds and value). Returns `None` if
    /// there are fewer samples than that, or all at one time.
    pub fn of(samples: &[(f64, f64)]) -> Option<Self> {
        let length = samples.len() / BATCHES;
        let batches = samples.chunks_exact(length.max(1)).take(BATCHES);
        let points: Vec<(f64, f64)> = batches.map(mean).collect();
        if length == 0 || points.len() < BATCHES {
            return None;
        }
        let (mean_s, mean_value) = mean(&points);
        let sum =
            |term: &dyn Fn(f64, f64) -> f64| -> f64 { points.iter().map(|&(s, value)| term(s, value)).sum() };
        let spread = sum(&|s, _| (s - mean_s).powi(2));
        let per_s = sum(&|s, value| (s - mean_s) * (value - mean_value)) / spread;
        let residual = sum(&|s, value| (value - mean_value - per_s * (s - mean_s)).powi(2));
        let variance = residual / (BATCHES - 2) as f64 / spread;
        (spread > 0.0).then(|| Self {
            per_hour: per_s * HOUR_S,
            error: QUANTILE * variance.sqrt() * HOUR_S,
        })
    }

    /// Returns whether the whole interval is above a growth in an hour.
    pub fn is_above(self, per_hour: f64) -> bool {
        self.per_hour - self.error > per_hour
    }
}

fn mean(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let (s, value) = points
        .iter()
        .fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
    (s / count, value / count)
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::{Stream, below};

    use super::*;

    /// A sample each second, with noise of mean 0 and standard deviation 29.
    fn noisy(per_hour: f64, seed: u32) -> Vec<(f64, f64)> {
        let mut rng = Stream::Study(seed).rng(1);
        let noise = (0..600).map(|_| below(&mut rng, 101) as f64 - 50.0);
        let samples = noise.enumerate();
        samples
            .map(|(s, noise)| (s as f64, 1000.0 + s as f64 * per_hour / HOUR_S + noise))
            .collect()
    }

    #[test]
    fn a_straight_line_has_its_slope_without_error() {
        let line: Vec<(f64, f64)> = (0..100)
            .map(|s| (f64::from(s), 5.0 + 2.0 * f64::from(s)))
            .collect();
        let slope = Slope::of(&line).unwrap();
        assert!(
            (slope.per_hour - 7200.0).abs() < 1e-6 && slope.error < 1e-6,
            "{slope:?}"
        );
        assert!(slope.is_above(7199.0) && !slope.is_above(7201.0));
    }

    #[test]
    fn the_interval_has_the_true_slope_in_19_of_20_series() {
        let holds = |seed| {
            let slope = Slope::of(&noisy(100.0, seed)).unwrap();
            (slope.per_hour - 100.0).abs() <= slope.error
        };
        let held = (0..1000).filter(|&seed| holds(seed)).count();
        assert!((930..=970).contains(&held), "{held} of 1000");
    }

    #[test]
    fn noise_is_no_growth_and_growth_is_seen() {
        let above = |per_hour| {
            (0..200)
                .filter(|&seed| Slope::of(&noisy(per_hour, seed)).unwrap().is_above(0.0))
                .count()
        };
        assert!(above(0.0) < 15, "{}", above(0.0));
        assert_eq!(above(600.0), 200);
    }

    #[test]
    fn few_samples_have_no_slope() {
        assert_eq!(Slope::of(&[]), None);
        assert_eq!(Slope::of(&[(0.0, 1.0); 9]), None);
        assert_eq!(Slope::of(&[(7.0, 1.0); 20]), None);
    }
}
