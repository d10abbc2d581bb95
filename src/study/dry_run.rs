//! What a study would do, in words; pure.

use std::fmt::Write;
use std::time::Duration;

use humantime::format_duration;
use logtrace_study::{Cell, Estimate, Plan, Scale};

/// Title, question, axes, cells, and what it takes.
pub(crate) fn outline(plan: &Plan, scale: Scale, cells: &[Cell]) -> String {
    let mut text = format!("{}: {}\n\n{}\n", plan.name, plan.title, plan.question.trim());
    for axis in &plan.axes {
        let is_taken = |name: &str| cells.iter().any(|cell| cell.level(&axis.name) == Some(name));
        let names = axis.levels.iter().map(|level| level.name.as_str());
        let names: Vec<&str> = names.filter(|name| is_taken(name)).collect();
        // A string takes all that is written to it.
        let _ = write!(text, "\n{:>14}  {}", axis.name, names.join(", "));
    }
    let _ = write!(text, "\n\n{}\n", extent(scale, cells));
    for cell in cells {
        let _ = write!(text, "\n{}", cell.key);
    }
    text.push('\n');
    text
}

/// How much it is, in one line.
pub(crate) fn extent(scale: Scale, cells: &[Cell]) -> String {
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let estimate = Estimate::new(cells);
    format!(
        "{} and {} at the scale {scale}: about {}, {} of it measuring, and {:.1} GB of disk",
        count(estimate.cells, "cell"),
        count(estimate.turns, "turn"),
        rounded(estimate.time),
        rounded(estimate.measuring),
        estimate.disk as f64 / 1e9
    )
}

/// To seconds below two minutes, and to minutes above.
fn rounded(time: Duration) -> humantime::FormattedDuration {
    let unit = if time < Duration::from_secs(120) { 1 } else { 60 };
    format_duration(Duration::from_secs(time.as_secs().next_multiple_of(unit)))
}
