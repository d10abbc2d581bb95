//! Medians as they are printed.

use anyhow::Context;
use logtrace_benchkit::Median;

/// Prints the median of ratios with its confidence interval.
pub(crate) fn print_median(what: &str, ratios: &[f64]) -> anyhow::Result<()> {
    let Median { median, interval } = Median::of(ratios).context("no pairs")?;
    print!("{what}: {median:.3}");
    if let Some((from, to)) = interval {
        print!(" [{from:.3}, {to:.3}]");
    }
    println!();
    Ok(())
}
