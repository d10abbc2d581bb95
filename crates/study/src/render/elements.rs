//! Study for people, at a terminal and as Markdown: the elements of its report in their order.

use logtrace_report::render::{Element, draw_markdown, draw_terminal};

use crate::plan::syntax::Published;
use crate::render::answer::answer;
use crate::render::stages;
use crate::render::texts::{
    branches, condition_rows, curve, header, heading, notes, reference_line, rows, stall, summary, title,
};
use crate::report::{Series, StallRow, StudyReport};
use crate::tables::stage_table::StageTable;
use crate::tables::{Grid, StudyTable};

/// Number of stalls that are listed. The others are in `stalls.csv`.
const STALLS: usize = 10;

/// Returns the whole report as aligned text for a person at a terminal.
pub fn terminal(report: &StudyReport, color: bool) -> String {
    draw_terminal(elements(report), color)
}

/// Returns the whole report as Markdown, for an issue or a wiki: `report.md`.
pub fn markdown(report: &StudyReport) -> String {
    draw_markdown(elements(report))
}

/// Returns the elements of a report. Those in a group belong together.
fn elements(report: &StudyReport) -> Vec<Vec<Element>> {
    let head = [title(report)].map(Element::Title).into_iter();
    let texts = [report.question.clone()]
        .into_iter()
        .chain(answer(report))
        .chain([summary(report)]);
    let mut groups = vec![head.chain(texts.map(Element::Text)).collect::<Vec<_>>()];
    let mut earlier = Vec::new();
    for table in &report.tables {
        groups.push(vec![
            Element::Heading(table.title.clone()),
            Element::Text(table.caption()),
        ]);
        groups.extend(
            table
                .grids
                .iter()
                .map(|grid| grid_elements(table, grid, &mut earlier)),
        );
    }
    if !report.stages.is_empty() {
        groups.push(vec![
            Element::Heading(stages::HEADING.to_owned()),
            Element::Text(stages::CAPTION.to_owned()),
        ]);
        groups.extend(report.stages.iter().map(stage_elements));
    }
    if !report.stalls.is_empty() {
        groups.push(stall_elements(report));
    }
    groups.extend(report.published.iter().map(published_elements));
    if !report.conditions.is_empty() {
        groups.push(condition_elements(report));
    }
    groups
}

/// Returns the elements of a grid. `earlier` are the causes of the grids before.
fn grid_elements(table: &StudyTable, grid: &Grid, earlier: &mut Vec<Vec<(String, String)>>) -> Vec<Element> {
    let mut elements = Vec::new();
    if !grid.of.is_empty() {
        elements.push(Element::Subheading(heading(grid)));
    }
    elements.push(Element::Table(header(table, grid), rows(table, grid)));
    elements.extend(reference_line(table, grid).map(Element::Text));
    let notes = notes(grid);
    if !notes.is_empty() {
        elements.push(Element::Notes(notes));
    }
    let causes = grid.entries().filter_map(|(row, column, entry)| {
        let branches = branches(&entry.measured()?.branches);
        (!branches.is_empty()).then(|| (format!("{row}, {column}"), branches))
    });
    let causes: Vec<(String, String)> = causes.collect();
    if earlier.contains(&causes) {
        elements.push(Element::SameCauses);
    } else if !causes.is_empty() {
        earlier.push(causes.clone());
        elements.push(Element::Causes(
            format!("{}, {}", table.row_axis, table.column_axis),
            causes,
        ));
    }
    elements
}

fn stage_elements(table: &StageTable) -> Vec<Element> {
    vec![
        Element::Subheading(table.server.clone()),
        Element::Table(stages::header(table), stages::lines(table)),
    ]
}

/// Returns the longest stalls, and the throughput of the measurements with them.
fn stall_elements(report: &StudyReport) -> Vec<Element> {
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
    let mut elements = vec![
        Element::Heading("Stalls, the longest first".to_owned()),
        Element::Stalls(stalls.into_iter().map(stall).chain(more).collect()),
    ];
    if !curves.is_empty() {
        elements.push(Element::Curves(curves));
    }
    elements
}

fn condition_elements(report: &StudyReport) -> Vec<Element> {
    let header = ["condition", "values"].map(str::to_owned).to_vec();
    vec![
        Element::Heading("Conditions".to_owned()),
        Element::Table(header, condition_rows(report)),
    ]
}

fn published_elements(published: &Published) -> Vec<Element> {
    let origin = [&published.source, &published.hardware, &published.note];
    let origin: Vec<&str> = origin
        .map(String::as_str)
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    vec![
        Element::Heading(format!("Published: {}", published.title)),
        Element::Text(origin.join(". ")),
        Element::Table(published.columns.clone(), published.rows.clone()),
    ]
}
