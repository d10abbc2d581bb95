//! The Kolmogorov-Smirnov test of gaps against the exponential distribution.

/// How far the gaps' distribution is from an exponential one of this mean at most, times the root of their number.
///
/// With a resolution above 0, each gap may be off by as much: only what no such shifts explain counts.
pub(crate) fn distance(gaps: &[f64], mean: f64, resolution: f64) -> f64 {
    let mut sorted = gaps.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let expected = |gap: f64| 1.0 - (-gap.max(0.0) / mean).exp();
    let farthest = sorted.iter().enumerate().map(|(index, gap)| {
        let (below, up_to) = (index as f64 / count, (index + 1) as f64 / count);
        let few = expected(gap - resolution) - below;
        let many = up_to - expected(gap + resolution);
        few.max(many)
    });
    farthest.fold(0.0, f64::max) * count.sqrt()
}

/// The distance beyond which chance is ruled out at the level of 0.1 % (Kolmogorov, 1933; Smirnov, 1948).
pub(crate) const REJECTED: f64 = 1.95;

/// The times between neighbours.
pub(crate) fn gaps(times_ns: &[u64]) -> Vec<f64> {
    times_ns
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64)
        .collect()
}
