//! Requests by step of a rate that changes in steps.

use crate::document::{Document, StepRow};
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

fn cells(step: &StepRow) -> Vec<String> {
    let from = units::tenths(step.from_per_s);
    let rate = match step.from_per_s == step.to_per_s {
        true => format!("{from}/s"),
        false => format!("{from} to {}/s", units::tenths(step.to_per_s)),
    };
    let mut cells = vec![rate, units::count(step.requests), units::count(step.done)];
    for times in [&step.lag, &step.service, &step.response] {
        cells.extend([times.p50, times.p99].map(units::duration));
    }
    cells
}
