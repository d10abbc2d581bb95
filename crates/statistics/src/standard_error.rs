//! Standard errors of the means of few repeats.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::descriptive::variance;
use crate::variance_shrinkage::Prior;

/// Probability that an interval contains the true value.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Probability with which the smallest visible effect is seen.
const POWER: f64 = 0.8;

/// Most degrees of freedom. More change an interval by less than a thousandth, and the quantiles of the library may then take
/// forever.
const MOST_FREEDOM: f64 = 10_000.0;

/// Repeats of one cell, or the differences between the repeats of a cell and those of its baseline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Repeats {
    /// One number for each repeat, on the scale of the test: logarithms for ratios.
    pub values: Vec<f64>,
    /// Variance of one of these numbers that the noise inside the windows alone makes, or `None` if it is unknown.
    pub(crate) within: Option<f64>,
}

/// Standard error of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandardError {
    /// Standard error.
    pub error: f64,
    /// Degrees of freedom of its variance.
    pub freedom: f64,
}

impl Repeats {
    /// Returns the variance between the repeats, but at least that inside the windows: few repeats may agree by chance.
    /// `None` for a single repeat, and for repeats without any difference, whose variance is unknown.
    fn variance(&self) -> Option<f64> {
        let variance = variance(&self.values)?.max(self.within.unwrap_or(0.0));
        (variance > 0.0).then_some(variance)
    }

    fn freedom(&self) -> f64 {
        self.values.len() as f64 - 1.0
    }
}

/// Returns the standard error of the mean of each row of a table, or `None` where [`Repeats::variance`] is unknown. The
/// variances of all rows moderate one another.
pub(crate) fn standard_errors(table: &[Option<Repeats>]) -> Vec<Option<StandardError>> {
    let known = table.iter().flatten();
    let known = known.filter_map(|repeats| Some((repeats.variance()?, repeats.freedom())));
    let prior = Prior::of(&known.collect::<Vec<_>>());
    let error = |repeats: &Repeats| {
        let (moderated, freedom) = prior.moderate(repeats.variance()?, repeats.freedom());
        let variance = moderated.max(repeats.within.unwrap_or(0.0));
        let error = (variance / repeats.values.len() as f64).sqrt();
        Some(StandardError { error, freedom })
    };
    table.iter().map(|repeats| error(repeats.as_ref()?)).collect()
}

impl StandardError {
    /// Returns the error of the difference of two independent numbers with these errors, by Welch and Satterthwaite (The
    /// generalization of "Student's" problem, 1947).
    pub fn of_difference(one: Self, other: Self) -> Self {
        let (a, b) = (one.error.powi(2), other.error.powi(2));
        let freedom = (a + b).powi(2) / (a.powi(2) / one.freedom + b.powi(2) / other.freedom);
        Self {
            error: (a + b).sqrt(),
            freedom: if freedom.is_finite() {
                freedom
            } else {
                one.freedom + other.freedom
            },
        }
    }

    /// Returns half the width of the 95 % interval around the mean.
    pub fn half_width(self) -> f64 {
        let quantile = self.student().map_or(f64::INFINITY, |student| {
            student.inverse_cdf((1.0 + CONFIDENCE) / 2.0)
        });
        quantile * self.error
    }

    /// Returns the smallest true mean whose 95 % interval would not contain 0 in 80 of 100 cases.
    pub fn visible(self) -> f64 {
        let quantile = self
            .student()
            .map_or(f64::INFINITY, |student| student.inverse_cdf(POWER));
        self.half_width() + quantile * self.error
    }

    /// Returns the probability of a mean that is at least `mean` away from 0 when the true one is 0.
    pub fn p(self, mean: f64) -> f64 {
        let errors = (mean / self.error).abs();
        self.student().map_or(1.0, |student| 2.0 * student.sf(errors))
    }

    fn student(self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, self.freedom.min(MOST_FREEDOM)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_distribution_has_its_known_quantiles() {
        let error = StandardError {
            error: 1.0,
            freedom: 2.0,
        };
        assert!((error.half_width() - 4.303).abs() < 0.001);
        assert!((error.p(-4.303) - 0.05).abs() < 0.0001);
    }

    #[test]
    fn smallest_visible_effect_has_the_known_multiple_of_the_error() {
        let visible = |freedom| StandardError { error: 1.0, freedom }.visible();
        assert!((visible(1e6) - 2.802).abs() < 0.001, "1.960 and 0.842");
        assert!((visible(2.0) - 5.364).abs() < 0.001, "4.303 and 1.061");
    }

    #[test]
    fn any_number_of_degrees_of_freedom_has_an_interval() {
        for freedom in [1.0, 1e4, 1e6, 1e9, 1e15, f64::MAX] {
            let error = StandardError { error: 1.0, freedom };
            assert!(
                error.half_width() > 1.959 && error.half_width() < 12.8,
                "{freedom}"
            );
            assert!(error.p(1.96) > 0.0499 && error.p(1.96) < 0.31, "{freedom}");
        }
    }

    #[test]
    fn equal_or_single_repeats_have_no_standard_error() {
        let repeats = |values: &[f64], within| {
            Some(Repeats {
                values: values.to_vec(),
                within,
            })
        };
        let table = [
            repeats(&[1.0], Some(0.1)),
            repeats(&[0.0; 3], None),
            repeats(&[1.0; 2], Some(0.08)),
            None,
        ];
        let errors = standard_errors(&table);
        assert_eq!((errors[0], errors[1], errors[3]), (None, None, None));
        let within = errors[2].unwrap();
        assert!((within.error - 0.2).abs() < 1e-9 && (within.freedom - 1.0).abs() < 1e-9);
    }
}
