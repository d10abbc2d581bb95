//! Reference of a grid: another figure of its cells, such as what the device can do.

use logtrace_statistics::median;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::plan::table_spec::TableSpec;
use crate::results::StudyResults;
use crate::tables::cause_share::nine_digits;
use crate::tables::observations::values;

/// Figure that the chart of a grid has as a line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reference {
    /// Name of the figure, as plans write it.
    pub figure: String,
    /// Median over all measurements of the cells of the grid.
    pub value: f64,
}

/// Returns the reference of the cells with these levels, or `None` if the plan names none or it was not measured.
pub(crate) fn reference(
    spec: &TableSpec,
    of: &[(String, String)],
    cells: &[&Cell],
    results: &StudyResults,
) -> Option<Reference> {
    let figure = spec.reference.as_ref()?;
    let has_levels = |cell: &&&Cell| {
        let mut levels = of.iter();
        levels.all(|(axis, level)| cell.level(axis) == Some(level))
    };
    let cells = cells.iter().filter(has_levels);
    let measured: Vec<f64> = cells
        .flat_map(|cell| values(figure, cell, results).values)
        .collect();
    Some(Reference {
        figure: figure.to_string(),
        value: nine_digits(median(&measured)?),
    })
}
