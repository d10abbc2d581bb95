//! Confidence interval of a share.

use statrs::distribution::{Beta, ContinuousCDF};

use crate::confidence_interval::Interval;
use crate::standard_error::CONFIDENCE;

/// Returns the exact 95 % interval of a share of which `hits` of `tries` were seen (Clopper and Pearson 1934). `None` without
/// tries, or with more hits than tries.
pub fn share_interval(hits: u64, tries: u64) -> Option<Interval> {
    if tries == 0 || hits > tries {
        return None;
    }
    let (seen, missed) = (hits as f64, (tries - hits) as f64);
    let quantile = |a: f64, b: f64, p: f64| Some(Beta::new(a, b).ok()?.inverse_cdf(p));
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let low = match hits {
        0 => 0.0,
        _ => quantile(seen, missed + 1.0, tail)?,
    };
    let high = match hits == tries {
        true => 1.0,
        false => quantile(seen + 1.0, missed, 1.0 - tail)?,
    };
    Some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        // From the binomial distribution: 0.8^10 and the like solved for the share by hand.
        let close = |hits, tries, low: f64, high: f64| {
            let found = share_interval(hits, tries).unwrap();
            assert!(
                (found.low - low).abs() < 5e-4 && (found.high - high).abs() < 5e-4,
                "{hits} of {tries}: {found:?}"
            );
        };
        close(0, 10, 0.0, 1.0 - 0.025_f64.powf(0.1));
        close(10, 10, 0.025_f64.powf(0.1), 1.0);
        close(8, 10, 0.4439, 0.9748);
        close(1, 20, 0.0013, 0.2487);
    }

    #[test]
    fn a_share_of_nothing_has_none() {
        assert_eq!(share_interval(0, 0), None);
        assert_eq!(share_interval(2, 1), None);
    }
}
