//! Cells of a plan's text, for tests.

use crate::cell::Cell;
use crate::plan::scale::Scale;
use crate::plan::study_plan::Plan;

/// Returns the cells of the full scale.
pub(super) fn full_cells(text: &str) -> Vec<Cell> {
    let plan = Plan::read("test.toml", text, &|_| Err(String::new()));
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    plan.cells(Scale::Full).to_vec()
}
