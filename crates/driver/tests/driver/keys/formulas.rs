//! The share of the draws that each row has by the formula, computed another way than the draws are.

use logtrace_driver::{Gaussian, Keys};

/// Shares of the rows, the first row first; parameters as the keys' text has them.
pub(crate) fn shares(keys: Keys, rows: usize) -> Vec<f64> {
    let text = keys.to_string();
    let parameters = text
        .split_once(':')
        .map_or("1,75,12", |(_, parameters)| parameters);
    let parameters: Vec<f64> = parameters
        .split(',')
        .map(|number| number.parse().unwrap())
        .collect();
    let n = rows as f64;
    match keys {
        Keys::Uniform => vec![1.0 / n; rows],
        Keys::Gaussian(gaussian) => by_row(rows, |x| irwin_hall(x / n, gaussian)),
        Keys::Pareto(_) => {
            let h = parameters[0];
            by_row(rows, |x| (x / n).powf((1.0 - h).ln() / h.ln()))
        }
        Keys::Zipfian(_) => {
            let weights: Vec<f64> = (1..=rows).map(|row| (row as f64).powf(-parameters[0])).collect();
            let whole: f64 = weights.iter().sum();
            weights.into_iter().map(|weight| weight / whole).collect()
        }
        Keys::Special(_) => special(rows, &parameters),
    }
}

/// The bell reaches up to the last row, excluding it; the hot part is drawn from its first `1 - share` on.
fn special(rows: usize, parameters: &[f64]) -> Vec<f64> {
    let [percent, share, numbers] = parameters[..] else {
        panic!("three parameters");
    };
    let last = (rows - 1) as f64;
    let bell = Gaussian::new(numbers as u32).unwrap();
    let width = last * percent / 100.0;
    let start = last / 2.0 - width / 2.0;
    let (from, to) = (start + (1.0 - share / 100.0) * (width + 1.0), start + width + 1.0);
    by_row(rows, |x| {
        let cold = if x < last { irwin_hall(x / last, bell) } else { 1.0 };
        let hot = if to > from {
            ((x - from) / (to - from)).clamp(0.0, 1.0)
        } else {
            1.0
        };
        cold * (1.0 - share / 100.0) + hot * share / 100.0
    })
}

/// Shares from the distribution function of the place that is rounded down to a row.
fn by_row(rows: usize, distribution: impl Fn(f64) -> f64) -> Vec<f64> {
    let at: Vec<f64> = (0..=rows).map(|row| distribution(row as f64)).collect();
    at.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// The distribution function of the mean of uniform numbers of [0, 1) (Irwin and Hall, 1927).
fn irwin_hall(mean: f64, bell: Gaussian) -> f64 {
    let n = f64::from(bell.numbers());
    if mean > 0.5 {
        // The terms of the sum grow, and cancel each other: from the nearer end there are fewer.
        return 1.0 - irwin_hall(1.0 - mean, bell);
    }
    let x = mean * n;
    let factorial: f64 = (1..=bell.numbers()).map(f64::from).product();
    let (mut sum, mut binomial) = (0.0, 1.0);
    for k in 0..=x as u32 {
        let k = f64::from(k);
        let sign = if k % 2.0 == 0.0 { 1.0 } else { -1.0 };
        sum += sign * binomial * (x - k).powf(n);
        binomial *= (n - k) / (k + 1.0);
    }
    sum / factorial
}
