//! Texts that the terminal and Markdown share.

use logtrace_report::units;

use crate::report::{Series, StallRow, StudyReport};
use crate::results::figure::Unit;
use crate::tables::cell_entry::{CauseShare, Entry};
use crate::tables::study_table::{Grid, Row, StudyTable};

/// Stalls that are told of one by one; the others are in `stalls.csv`.
pub(super) const STALLS: usize = 10;

/// How much of the study there is.
pub(super) fn summary(report: &StudyReport) -> String {
    let mut summary = format!(
        "scale {} · {} of {} turns measured",
        report.scale, report.measured, report.turns
    );
    if report.failed > 0 {
        summary += &format!(" · {} failed", report.failed);
    }
    summary
}

/// The levels that a grid is of.
pub(super) fn heading(grid: &Grid) -> String {
    let levels = grid.of.iter().map(|(axis, level)| format!("{axis} {level}"));
    levels.collect::<Vec<_>>().join(" · ")
}

/// The lines of an entry: the figure, and how it compares.
pub(super) fn entry(table: &StudyTable, entry: &Entry) -> Vec<String> {
    match entry {
        Entry::Absent => vec!["-".to_owned()],
        Entry::Missing { .. } => vec!["missing".to_owned()],
        Entry::Measured(tabulated) => {
            let note = if tabulated.notes.is_empty() { "" } else { " !" };
            let mut lines = vec![tabulated.text(table.unit) + note];
            let comparison = tabulated.comparison;
            lines.extend(comparison.map(|one| one.text(table.comparison(), table.unit)));
            lines
        }
    }
}

/// What the entries of a grid waited for: the entry, and its causes.
pub(super) type Waited = Vec<(String, String)>;

/// Of a grid; `None` where nothing is known, and `Some` of nothing where one of `earlier` says the same.
pub(super) fn waited(grid: &Grid, earlier: &mut Vec<Waited>) -> Option<Waited> {
    let waited: Waited = grid.rows.iter().flat_map(|row| causes(grid, row)).collect();
    if waited.is_empty() {
        return None;
    }
    if earlier.contains(&waited) {
        return Some(Vec::new());
    }
    earlier.push(waited.clone());
    Some(waited)
}

/// What each entry of a row waited for.
fn causes<'a>(grid: &'a Grid, row: &'a Row) -> impl Iterator<Item = (String, String)> + 'a {
    grid.columns
        .iter()
        .zip(&row.entries)
        .filter_map(|(column, entry)| match entry {
            Entry::Measured(tabulated) if !tabulated.causes.is_empty() => {
                Some((format!("{}, {column}", row.level), shares(&tabulated.causes)))
            }
            _ => None,
        })
}

/// What there is to know about the entries of a row.
pub(super) fn notes<'a>(grid: &'a Grid, row: &'a Row) -> impl Iterator<Item = String> + 'a {
    let entries = grid.columns.iter().zip(&row.entries);
    entries.flat_map(move |(column, entry)| {
        let notes = match entry {
            Entry::Absent => Vec::new(),
            Entry::Missing { why, .. } => vec![why.clone()],
            Entry::Measured(tabulated) => tabulated.notes.clone(),
        };
        notes
            .into_iter()
            .map(move |note| format!("{}, {column}: {note}", row.level))
    })
}

/// Causes with their shares, and how much of a commit each takes where that is told.
pub(super) fn shares(causes: &[CauseShare]) -> String {
    let causes = causes.iter().map(|one| {
        let share = format!("{} {:.0} %", one.cause, one.share * 100.0);
        match one.mean {
            Some(mean) => format!("{share} ({})", Unit::Time.text(mean)),
            None => share,
        }
    });
    causes.collect::<Vec<_>>().join(" · ")
}

/// A stall in one line.
pub(super) fn stall(stall: &StallRow) -> String {
    let mut text = format!(
        "{}, repeat {}: at {} for {}, {} of {} requests done",
        stall.cell,
        stall.repeat,
        units::duration(stall.at),
        units::duration(stall.length),
        units::count(stall.done),
        units::count(stall.usual),
    );
    match stall.commits {
        // What held requests up then came before they committed.
        Some(0) => text += ", no commit was under way",
        Some(commits) => text += &format!(", {} commits held", units::count(commits)),
        None => {}
    }
    if let Some(kind) = stall.kind {
        text += &format!("; {}", kind.as_str());
    }
    if !stall.causes.is_empty() {
        text += &format!(": {}", shares(&stall.causes));
    }
    text
}

/// The longest stalls, and how many more there are.
pub(super) fn longest(report: &StudyReport) -> (Vec<&StallRow>, usize) {
    let mut stalls: Vec<&StallRow> = report.stalls.iter().collect();
    stalls.sort_by_key(|stall| std::cmp::Reverse(stall.length));
    let more = stalls.len().saturating_sub(STALLS);
    stalls.truncate(STALLS);
    (stalls, more)
}

/// The throughput of the turns with the longest stalls, as small curves.
pub(super) fn curves(report: &StudyReport) -> Vec<String> {
    let (stalls, _) = longest(report);
    let has = |one: &&Series| {
        stalls
            .iter()
            .any(|stall| (&stall.cell, stall.repeat) == (&one.cell, one.repeat))
    };
    let series = report
        .series
        .iter()
        .filter(has)
        .filter(|one| !one.per_second.is_empty());
    let curve = |one: &Series| format!("{} {}, repeat {}", curve(&one.per_second), one.cell, one.repeat);
    series.map(curve).collect()
}

/// A character for each second, or for as many as fit; the highest is full.
fn curve(per_second: &[f64]) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const MOST: usize = 60;
    let chunks = per_second.chunks(per_second.len().div_ceil(MOST).max(1));
    // The lowest second of each place: a mean would hide a stall.
    let lowest: Vec<f64> = chunks
        .map(|chunk| chunk.iter().copied().fold(f64::INFINITY, f64::min))
        .collect();
    let highest = lowest.iter().copied().fold(0.0, f64::max);
    let step = |value: &f64| {
        let reached = (1..STEPS.len()).filter(|step| *value >= highest * *step as f64 / STEPS.len() as f64);
        STEPS[if highest > 0.0 { reached.count() } else { 0 }]
    };
    lowest.iter().map(step).collect()
}

/// Where a published table comes from.
pub(super) fn origin(published: &crate::plan::table_spec::Published) -> String {
    let parts = [&published.source, &published.hardware, &published.note];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.cloned().collect::<Vec<_>>().join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_shows_each_stall() {
        assert_eq!(curve(&[80.0, 40.0, 0.0, 80.0]), "█▅▁█");
        assert_eq!(curve(&[0.0, 0.0]), "▁▁");
        let mut long = [100.0; 600];
        long[300] = 0.0;
        let curve = curve(&long);
        assert_eq!(
            (curve.chars().count(), curve.chars().filter(|&c| c == '▁').count()),
            (60, 1)
        );
    }
}
