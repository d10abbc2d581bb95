//! Texts of the parts of a report.

use logtrace_common::units;
use logtrace_report::render::Unit;
use logtrace_statistics::{DifferenceScale, with_interval};

use crate::report::{BusyCells, StallRow, StudyReport};
use crate::tables::branch_share::BranchShare;
use crate::tables::cause_share::CauseShare;
use crate::tables::cell_entry::CellEntry;
use crate::tables::reference::Reference;
use crate::tables::{Grid, StudyTable};

/// Most entries that a note names.
const MOST_PLACES: usize = 8;

/// Returns the heading, with a warning if the CPUs were short.
pub(super) fn title(report: &StudyReport) -> String {
    let BusyCells { busy, of } = report.busy;
    match busy {
        0 => report.title.clone(),
        _ => format!("{}, with the CPUs busy in {busy} of {of} cells", report.title),
    }
}

/// Returns how much of the study is measured.
pub(super) fn summary(report: &StudyReport) -> String {
    let mut summary = format!(
        "scale {} · {} of {} measurements done",
        report.scale, report.measured, report.turns
    );
    if report.failed > 0 {
        summary += &format!(" · {} failed", report.failed);
    }
    if report.planned_short_turns > 0 {
        let (done, planned) = (report.short_turns, report.planned_short_turns);
        summary += &format!(" · {done} of {planned} short turns done");
    }
    if report.failed_short_turns > 0 {
        summary += &format!(" · {} short turns failed", report.failed_short_turns);
    }
    summary
}

/// Returns the levels of a grid.
pub(super) fn heading(grid: &Grid) -> String {
    let levels = grid.of.iter().map(|(axis, level)| format!("{axis} {level}"));
    levels.collect::<Vec<_>>().join(" · ")
}

/// Returns the header of a grid: the axis of its rows, and the levels of its columns.
pub(super) fn header(table: &StudyTable, grid: &Grid) -> Vec<String> {
    let header = std::iter::once(&table.row_axis).chain(&grid.columns);
    header.cloned().collect()
}

/// Returns the rows of a grid: the level of each, and its entries.
pub(super) fn rows(table: &StudyTable, grid: &Grid) -> Vec<Vec<String>> {
    let rows = grid.rows.iter().map(|row| {
        let entries = row.entries.iter().map(|one| entry(table, one));
        std::iter::once(row.level.clone()).chain(entries).collect()
    });
    rows.collect()
}

/// Returns what a reference is, and its value.
pub(super) fn reference_text(table: &StudyTable, reference: &Reference) -> String {
    let value = table.unit.text(reference.value);
    match reference.figure.as_str() {
        "fdatasync" => format!("{value} fdatasync calls a second by one thread, without a server"),
        figure => format!("{figure}: {value}"),
    }
}

/// Returns a line with the reference of a grid, if it has one.
pub(super) fn reference_line(table: &StudyTable, grid: &Grid) -> Option<String> {
    let reference = grid.reference.as_ref()?;
    Some(reference_text(table, reference) + " (median of all cells)")
}

/// Returns the notes on the entries of a grid.
pub(super) fn notes(grid: &Grid) -> Vec<String> {
    let mut notes: Vec<(&str, Vec<String>)> = Vec::new();
    for (row, column, entry) in grid.entries() {
        for note in entry.notes() {
            let place = format!("{row}, {column}");
            match notes.iter_mut().find(|(other, _)| other == note) {
                Some((_, places)) => places.push(place),
                None => notes.push((note, vec![place])),
            }
        }
    }
    let text = |(note, places): (&str, Vec<String>)| match places.len() {
        ..=MOST_PLACES => format!("{}: {note}", places.join("; ")),
        count => format!("{count} entries: {note}"),
    };
    notes.into_iter().map(text).collect()
}

/// Returns the figure of an entry, and in a second line the comparison, with a star if it is significant.
fn entry(table: &StudyTable, entry: &CellEntry) -> String {
    let measured = match entry {
        CellEntry::Absent => return "-".to_owned(),
        CellEntry::Missing { .. } => return "missing".to_owned(),
        CellEntry::Measured(measured) => measured,
    };
    let figure = |value| table.unit.text(value);
    let note = if measured.notes.is_empty() { "" } else { " !" };
    let mut text = with_interval(measured.value, measured.interval, figure) + note;
    if let Some(one) = measured.comparison {
        let is_difference = table.compare == Some(DifferenceScale::Difference);
        let sign = if is_difference && one.value > 0.0 { "+" } else { "" };
        let compared = match is_difference {
            true => with_interval(one.value, one.interval, figure),
            false => with_interval(one.value, one.interval, |ratio| format!("{ratio:.2}")),
        };
        let star = if one.significant { " *" } else { "" };
        text += &format!("\n{sign}{compared}{star}");
    }
    if let Some(one) = &measured.published {
        text += &format!("\n{}: {:.2}", one.source, one.ratio);
    }
    text
}

/// Number of causes that texts list for an entry.
const CAUSES: usize = 3;
/// Smallest share of these causes.
const SMALLEST: f64 = 0.03;

/// Returns the causes of an entry that texts list.
pub(super) fn largest(causes: &[CauseShare]) -> &[CauseShare] {
    let large = causes.iter().take_while(|one| one.share >= SMALLEST);
    &causes[..large.count().min(CAUSES)]
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

/// Lists the largest branches of an entry, each with its mean and its largest part; none if nothing was traced.
pub(super) fn branches(of: &[BranchShare]) -> String {
    let large = of.iter().take_while(|one| one.share >= SMALLEST).take(CAUSES);
    let texts = large.map(|one| {
        let mean = one
            .mean
            .map_or_else(String::new, |mean| Unit::Time.text(mean) + "; ");
        let (share, largest) = (one.share * 100.0, one.largest_share * 100.0);
        format!(
            "{} {share:.0} % ({mean}{} {largest:.0} %)",
            one.branch, one.largest
        )
    });
    texts.collect::<Vec<_>>().join(" · ")
}

/// Describes a stall in one line.
pub(super) fn stall(row: &StallRow) -> String {
    let stall = &row.stall;
    let mut text = format!(
        "{}, repeat {}: at {} for {}, {} of {} requests done",
        row.cell,
        row.repeat,
        units::duration(stall.at_ns),
        units::duration(stall.length_ns),
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
        text += &format!("; {kind}");
    }
    if !row.causes.is_empty() {
        text += &format!(": {}", shares(&row.causes));
    }
    text
}

/// Returns the rows of the table of conditions: a name, and the values that measurements had.
pub(super) fn condition_rows(report: &StudyReport) -> Vec<Vec<String>> {
    let conditions = report.conditions.iter();
    conditions
        .map(|condition| vec![condition.name.clone(), condition.values.join(" · ")])
        .collect()
}

/// Draws a character for each second, or for several seconds if they do not fit. The highest is full.
pub(super) fn curve(per_second: &[f64]) -> String {
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
