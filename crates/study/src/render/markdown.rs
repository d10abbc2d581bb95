//! Study as Markdown: `report.md`.

use crate::render::shared_text;
use crate::report::StudyReport;
use crate::tables::study_table::{Grid, StudyTable};

/// Returns the whole report as Markdown, for an issue or a wiki: `report.md`.
pub fn markdown(report: &StudyReport) -> String {
    let mut blocks = vec![
        format!("# {}", escaped(&report.title)),
        escaped(&report.question),
        escaped(&shared_text::summary(report)),
    ];
    let mut earlier = Vec::new();
    for table in &report.tables {
        blocks.push(format!("## {}", escaped(&table.title)));
        blocks.push(escaped(&table.caption()));
        for grid in &table.grids {
            blocks.extend(grid_blocks(table, grid));
            blocks.extend(
                shared_text::new_causes(grid, &mut earlier).map(|causes| cause_table(table, &causes)),
            );
        }
    }
    if !report.stalls.is_empty() {
        let (stalls, more) = shared_text::longest(report);
        let mut items: Vec<String> = stalls.into_iter().map(shared_text::stall).collect();
        if more > 0 {
            items.push(format!("{more} more in stalls.csv"));
        }
        blocks.push("## Stalls, the longest first".to_owned());
        blocks.push(list(&items));
        let curves = shared_text::curves(report);
        if !curves.is_empty() {
            blocks.push("Requests in each second:".to_owned());
            blocks.push(list(&curves));
        }
    }
    for published in &report.published {
        blocks.push(format!("## Published: {}", escaped(&published.title)));
        blocks.push(escaped(&shared_text::origin(published)));
        blocks.push(table(&published.columns, &published.rows));
    }
    blocks.join("\n\n") + "\n"
}

fn grid_blocks(spec: &StudyTable, grid: &Grid) -> Vec<String> {
    let mut blocks = Vec::new();
    if !grid.of.is_empty() {
        blocks.push(format!("### {}", escaped(&shared_text::heading(grid))));
    }
    let header: Vec<String> = std::iter::once(spec.row_axis.clone())
        .chain(grid.columns.iter().cloned())
        .collect();
    let rows = grid.rows.iter().map(|row| {
        let entries = row
            .entries
            .iter()
            .map(|entry| shared_text::entry(spec, entry).join(" · "));
        std::iter::once(row.level.clone()).chain(entries).collect()
    });
    blocks.push(table(&header, &rows.collect::<Vec<_>>()));
    let notes: Vec<String> = grid
        .rows
        .iter()
        .flat_map(|row| shared_text::notes(grid, row))
        .collect();
    if !notes.is_empty() {
        blocks.push(list(&notes));
    }
    blocks
}

fn cause_table(spec: &StudyTable, causes: &[(String, String)]) -> String {
    if causes.is_empty() {
        return "The causes are the same as above.".to_owned();
    }
    let entries = format!("{}, {}", spec.row_axis, spec.column_axis);
    let mut lines = vec![
        line(&[entries, "causes of waiting".to_owned()]),
        "| --- | --- |".to_owned(),
    ];
    lines.extend(
        causes
            .iter()
            .map(|(entry, shares)| line(&[entry.clone(), shares.clone()])),
    );
    lines.join("\n")
}

/// Draws a table with words at the left and numbers at the right.
fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let rule = header
        .iter()
        .enumerate()
        .map(|(index, _)| if index == 0 { "---" } else { "---:" });
    let mut lines = vec![
        line(header),
        format!("| {} |", rule.collect::<Vec<_>>().join(" | ")),
    ];
    lines.extend(rows.iter().map(|row| line(row)));
    lines.join("\n")
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
    format!("| {} |", cells.join(" | "))
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| format!("- {}", escaped(item))).collect();
    items.join("\n")
}

/// Escapes text so that it neither ends its cell or line nor is read as markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '*' | '`' | '<' | '[' | '_' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
