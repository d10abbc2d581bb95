//! Overview of a study: what it measures, and how long that takes.

use std::fmt::Write;
use std::time::Duration;

use humantime::format_duration;

use crate::cell::Cell;
use crate::order::cost_estimate::CostEstimate;
use crate::plan::Plan;
use crate::plan::scale::Scale;

/// Returns title, question, axes, cells, time and disk space of a study.
pub fn overview(plan: &Plan, scale: Scale, cells: &[Cell], living: usize) -> String {
    let mut text = format!("{}: {}\n\n{}\n", plan.name, plan.title, plan.question.trim());
    for axis in &plan.axes {
        let is_used = |name: &str| cells.iter().any(|cell| cell.level(&axis.name) == Some(name));
        let names = axis.levels.iter().map(|level| level.name.as_str());
        let names: Vec<&str> = names.filter(|name| is_used(name)).collect();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{:>14}  {}", axis.name, names.join(", "));
    }
    let _ = write!(text, "\n\n{}\n", size_line(scale, cells, living));
    for cell in cells {
        let _ = write!(text, "\n{}", cell.key);
    }
    text.push('\n');
    text
}

/// Returns the size of a study in one line.
pub fn size_line(scale: Scale, cells: &[Cell], living: usize) -> String {
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let estimate = CostEstimate::new(cells, living);
    let measurements = count(estimate.measurements, "measurement");
    let measurements = match estimate.short_turns {
        0 => format!(" and {measurements}"),
        turns => format!(", {measurements} and {}", count(turns, "short turn")),
    };
    format!(
        "{}{measurements} at the scale {scale}: about {}, of which {} in windows and turns, and {:.1} GB of disk space",
        count(estimate.cells, "cell"),
        format_duration(rounded(estimate.time)),
        format_duration(rounded(estimate.measuring)),
        estimate.disk as f64 / 1e9
    )
}

/// Rounds up to seconds below two minutes, and to minutes above.
pub(crate) fn rounded(time: Duration) -> Duration {
    let unit = if time < Duration::from_secs(120) { 1 } else { 60 };
    Duration::from_secs(time.as_secs().next_multiple_of(unit))
}
