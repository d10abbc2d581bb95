//! Requests by step of a rate that changes in steps.

use crate::causes::cause::Cause;
use crate::document::{Document, StepCommits, StepRow};
use crate::render::table::Table;
use crate::units;

/// Returns the counts and times of the requests of each step, or `None` if the rate did not change in steps.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let steps = document.driver.iter().flat_map(|driver| &driver.steps);
    let header = [
        "rate",
        "requests",
        "done",
        "lag p50",
        "p99",
        "service p50",
        "p99",
        "response p50",
        "p99",
    ];
    Table::new(1, header, steps.map(cells))
}

/// Returns the commits of each step: what they waited for most, and what grew most since the step before; or `None` if the rate
/// did not change in steps or nothing was traced.
pub(crate) fn commits(document: &Document) -> Option<Table> {
    let steps = document.driver.iter().flat_map(|driver| &driver.steps);
    let steps: Vec<(&StepRow, &StepCommits)> = steps
        .filter_map(|step| Some((step, step.commits.as_ref()?)))
        .collect();
    let before = std::iter::once(None).chain(steps.iter().map(|&(_, commits)| Some(commits)));
    let rows = steps.iter().zip(before).map(|(&(step, commits), before)| {
        let largest = commits.causes.first();
        let largest = largest.and_then(|row| share_of(row.cause, commits));
        vec![
            rate(step),
            largest.unwrap_or_default(),
            before
                .and_then(|before| grown(before, commits))
                .unwrap_or_default(),
            units::count(commits.count),
            units::mean_duration(commits.total(), commits.count),
        ]
    });
    let header = ["rate", "waited most for", "grew most", "commits", "mean"];
    Table::new(3, header, rows)
}

fn share_of(cause: Cause, commits: &StepCommits) -> Option<String> {
    let mean_ns = commits.mean_of(cause)?;
    Some(format!("{} {}", units::duration(mean_ns), cause.words()))
}

/// Returns the cause whose mean grew most, with how much.
fn grown(before: &StepCommits, commits: &StepCommits) -> Option<String> {
    let growth = commits.causes.iter().filter_map(|row| {
        let now_ns = commits.mean_of(row.cause)?;
        Some((now_ns.checked_sub(before.mean_of(row.cause)?)?, row.cause))
    });
    let (growth_ns, cause) = growth.max_by_key(|&(growth_ns, _)| growth_ns)?;
    (growth_ns > 0).then(|| format!("+{} {}", units::duration(growth_ns), cause.words()))
}

fn rate(step: &StepRow) -> String {
    let from = units::tenths(step.from_per_s);
    match step.from_per_s == step.to_per_s {
        true => format!("{from}/s"),
        false => format!("{from} to {}/s", units::tenths(step.to_per_s)),
    }
}

fn cells(step: &StepRow) -> Vec<String> {
    let mut cells = vec![rate(step), units::count(step.requests), units::count(step.done)];
    for times in [&step.lag, &step.service, &step.response] {
        cells.extend([times.p50, times.p99].map(units::duration));
    }
    cells
}
