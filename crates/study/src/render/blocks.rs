//! Blocks of a report in their order: what all renderers for people show.

use crate::plan::syntax::Published;
use crate::render::stages;
use crate::render::texts::{
    condition_rows, curve, header, heading, largest, notes, reference_line, rows, shares, stall, summary,
    title,
};
use crate::report::{Series, StallRow, StudyReport};
use crate::tables::stage_table::StageTable;
use crate::tables::study_table::{Grid, StudyTable};

/// Number of stalls that are listed. The others are in `stalls.csv`.
const STALLS: usize = 10;

/// Block of a report.
pub enum Block {
    /// Title of the whole report.
    Title(String),
    /// Heading of a table, of the stalls or of a published table.
    Heading(String),
    /// Levels of a grid.
    Subheading(String),
    /// Paragraph.
    Text(String),
    /// Header and rows of a table: words at the left, numbers at the right. An entry may have two lines.
    Table(Vec<String>, Vec<Vec<String>>),
    /// Notes on the table above.
    Notes(Vec<String>),
    /// Causes of the entries of the table above, and the axes of these entries.
    Causes(String, Vec<(String, String)>),
    /// Remark that an earlier table has the same causes.
    SameCauses,
    /// Stalls, one line each.
    Stalls(Vec<String>),
    /// Throughput of the measurements with these stalls.
    Curves(Vec<String>),
}

/// Returns the blocks of a report. Those in a group belong together.
pub(super) fn blocks(report: &StudyReport) -> Vec<Vec<Block>> {
    let mut groups = vec![vec![
        Block::Title(title(report)),
        Block::Text(report.question.clone()),
        Block::Text(summary(report)),
    ]];
    let mut earlier = Vec::new();
    for table in &report.tables {
        groups.push(vec![
            Block::Heading(table.title.clone()),
            Block::Text(table.caption()),
        ]);
        groups.extend(
            table
                .grids
                .iter()
                .map(|grid| grid_blocks(table, grid, &mut earlier)),
        );
    }
    if !report.stages.is_empty() {
        groups.push(vec![
            Block::Heading(stages::HEADING.to_owned()),
            Block::Text(stages::CAPTION.to_owned()),
        ]);
        groups.extend(report.stages.iter().map(stage_blocks));
    }
    if !report.stalls.is_empty() {
        groups.push(stall_blocks(report));
    }
    groups.extend(report.published.iter().map(published_blocks));
    if !report.conditions.is_empty() {
        groups.push(condition_blocks(report));
    }
    groups
}

/// Returns the blocks of a grid. `earlier` are the causes of the grids before.
fn grid_blocks(table: &StudyTable, grid: &Grid, earlier: &mut Vec<Vec<(String, String)>>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !grid.of.is_empty() {
        blocks.push(Block::Subheading(heading(grid)));
    }
    blocks.push(Block::Table(header(table, grid), rows(table, grid)));
    blocks.extend(reference_line(table, grid).map(Block::Text));
    let notes = notes(grid);
    if !notes.is_empty() {
        blocks.push(Block::Notes(notes));
    }
    let causes = grid.entries().filter_map(|(row, column, entry)| {
        let causes = largest(&entry.measured()?.causes);
        (!causes.is_empty()).then(|| (format!("{row}, {column}"), shares(causes)))
    });
    let causes: Vec<(String, String)> = causes.collect();
    if earlier.contains(&causes) {
        blocks.push(Block::SameCauses);
    } else if !causes.is_empty() {
        earlier.push(causes.clone());
        blocks.push(Block::Causes(
            format!("{}, {}", table.row_axis, table.column_axis),
            causes,
        ));
    }
    blocks
}

fn stage_blocks(table: &StageTable) -> Vec<Block> {
    vec![
        Block::Subheading(table.server.clone()),
        Block::Table(stages::header(table), stages::lines(table)),
    ]
}

/// Returns the longest stalls, and the throughput of the measurements with them.
fn stall_blocks(report: &StudyReport) -> Vec<Block> {
    let mut stalls: Vec<&StallRow> = report.stalls.iter().collect();
    stalls.sort_by_key(|row| std::cmp::Reverse(row.stall.length_ns));
    let more = stalls.len().saturating_sub(STALLS);
    stalls.truncate(STALLS);
    let is_shown = |one: &&Series| {
        let mut stalls = stalls.iter();
        !one.per_second.is_empty() && stalls.any(|row| (&row.cell, row.repeat) == (&one.cell, one.repeat))
    };
    let curves = report.series.iter().filter(is_shown);
    let curves = curves.map(|one| format!("{} {}, repeat {}", curve(&one.per_second), one.cell, one.repeat));
    let curves: Vec<String> = curves.collect();
    let more = (more > 0).then(|| format!("{more} more in stalls.csv"));
    let mut blocks = vec![
        Block::Heading("Stalls, the longest first".to_owned()),
        Block::Stalls(stalls.into_iter().map(stall).chain(more).collect()),
    ];
    if !curves.is_empty() {
        blocks.push(Block::Curves(curves));
    }
    blocks
}

fn condition_blocks(report: &StudyReport) -> Vec<Block> {
    let header = ["condition", "values"].map(str::to_owned).to_vec();
    vec![
        Block::Heading("Conditions".to_owned()),
        Block::Table(header, condition_rows(report)),
    ]
}

fn published_blocks(published: &Published) -> Vec<Block> {
    let origin = [&published.source, &published.hardware, &published.note];
    let origin: Vec<&str> = origin
        .map(String::as_str)
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    vec![
        Block::Heading(format!("Published: {}", published.title)),
        Block::Text(origin.join(". ")),
        Block::Table(published.columns.clone(), published.rows.clone()),
    ]
}
