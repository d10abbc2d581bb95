//! Texts that the renderers share.

use logtrace_report::units;

use crate::report::{Series, StallRow, StudyReport};
use crate::results::figure::Unit;
use crate::stats::confidence_interval::Interval;
use crate::stats::paired_test::{Compare, Comparison};
use crate::tables::cause_share::CauseShare;
use crate::tables::cell_entry::{Entry, MeasuredEntry};
use crate::tables::study_table::{Grid, Row, StudyTable};

/// Number of stalls that are listed. The others are in `stalls.csv`.
pub(super) const STALLS: usize = 10;

/// Returns how much of the study is measured.
pub(super) fn summary(report: &StudyReport) -> String {
    let mut summary = format!(
        "scale {} · {} of {} measurements done",
        report.scale, report.measured, report.turns
    );
    if report.failed > 0 {
        summary += &format!(" · {} failed", report.failed);
    }
    summary
}

/// Returns the levels of a grid.
pub(super) fn heading(grid: &Grid) -> String {
    let levels = grid.of.iter().map(|(axis, level)| format!("{axis} {level}"));
    levels.collect::<Vec<_>>().join(" · ")
}

/// Returns the lines of an entry: the figure, and the comparison.
pub(super) fn entry(table: &StudyTable, entry: &Entry) -> Vec<String> {
    match entry {
        Entry::Absent => vec!["-".to_owned()],
        Entry::Missing { .. } => vec!["missing".to_owned()],
        Entry::Measured(measured) => {
            let note = if measured.notes.is_empty() { "" } else { " !" };
            let mut lines = vec![value(table.unit, measured) + note];
            let comparison = measured.comparison;
            lines.extend(comparison.map(|one| self::comparison(table.comparison(), table.unit, &one)));
            lines
        }
    }
}

fn value(unit: Unit, entry: &MeasuredEntry) -> String {
    let value = unit.text(entry.value);
    match entry.interval {
        Some(Interval { low, high }) => format!("{value} ({}..{})", unit.text(low), unit.text(high)),
        None => value,
    }
}

/// Formats a ratio or a difference with its interval, and with a star if it is significant.
fn comparison(how: Compare, unit: Unit, comparison: &Comparison) -> String {
    let text = |value: f64| match how {
        Compare::Ratio => format!("{value:.2}"),
        Compare::Difference => unit.text(value),
    };
    let is_more = how == Compare::Difference && comparison.value > 0.0;
    let (sign, value) = (if is_more { "+" } else { "" }, text(comparison.value));
    let interval = comparison.interval.map_or(String::new(), |interval| {
        format!(" ({}..{})", text(interval.low), text(interval.high))
    });
    let star = if comparison.significant { " *" } else { "" };
    format!("{sign}{value}{interval}{star}")
}

/// Entries of a grid with their causes.
pub(super) type EntryCauses = Vec<(String, String)>;

/// Returns the causes of a grid. `None` if there are none; empty if one of `earlier` has the same.
pub(super) fn new_causes(grid: &Grid, earlier: &mut Vec<EntryCauses>) -> Option<EntryCauses> {
    let causes: EntryCauses = grid.rows.iter().flat_map(|row| causes(grid, row)).collect();
    if causes.is_empty() {
        return None;
    }
    if earlier.contains(&causes) {
        return Some(Vec::new());
    }
    earlier.push(causes.clone());
    Some(causes)
}

/// Returns the causes of each entry of a row.
fn causes<'a>(grid: &'a Grid, row: &'a Row) -> impl Iterator<Item = (String, String)> + 'a {
    grid.columns
        .iter()
        .zip(&row.entries)
        .filter_map(|(column, entry)| match entry {
            Entry::Measured(measured) if !measured.causes.is_empty() => {
                Some((format!("{}, {column}", row.level), shares(&measured.causes)))
            }
            _ => None,
        })
}

/// Returns the notes on the entries of a row.
pub(super) fn notes<'a>(grid: &'a Grid, row: &'a Row) -> impl Iterator<Item = String> + 'a {
    let entries = grid.columns.iter().zip(&row.entries);
    entries.flat_map(move |(column, entry)| {
        let notes = match entry {
            Entry::Absent => Vec::new(),
            Entry::Missing { why, .. } => vec![why.clone()],
            Entry::Measured(measured) => measured.notes.clone(),
        };
        notes
            .into_iter()
            .map(move |note| format!("{}, {column}: {note}", row.level))
    })
}

/// Lists causes with their shares, and with their mean per commit where it is known.
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

/// Describes a stall in one line.
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
        // Requests were held up before they came to their commit.
        Some(0) => text += ", no commit was under way",
        Some(commits) => text += &format!(", {} commits under way", units::count(commits)),
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

/// Returns the longest stalls, and the number of further ones.
pub(super) fn longest(report: &StudyReport) -> (Vec<&StallRow>, usize) {
    let mut stalls: Vec<&StallRow> = report.stalls.iter().collect();
    stalls.sort_by_key(|stall| std::cmp::Reverse(stall.length));
    let more = stalls.len().saturating_sub(STALLS);
    stalls.truncate(STALLS);
    (stalls, more)
}

/// Returns the throughput of the measurements with the longest stalls, as small curves.
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

/// Draws a character for each second, or for several seconds if they do not fit. The highest is full.
fn curve(per_second: &[f64]) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const MOST: usize = 60;
    let chunks = per_second.chunks(per_second.len().div_ceil(MOST).max(1));
    // The lowest second of each character: a mean would hide a stall.
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

/// Returns the origin of a published table.
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
