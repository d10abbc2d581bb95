//! Answer of a study: a sentence for each of its first tables.

use logtrace_statistics::{DifferenceScale, with_interval};

use crate::report::StudyReport;
use crate::tables::cell_entry::MeasuredEntry;
use crate::tables::{Grid, StudyTable};

/// Most sentences.
const MOST_SENTENCES: usize = 4;

/// Entry with its place in words.
struct EntryInWords<'a> {
    place: String,
    entry: &'a MeasuredEntry,
}

/// Returns the answer of a study, as far as it is measured.
pub(super) fn answer(report: &StudyReport) -> Vec<String> {
    let sentences = report.tables.iter().filter_map(sentence);
    sentences.take(MOST_SENTENCES).collect()
}

fn sentence(table: &StudyTable) -> Option<String> {
    let entries = entries(table);
    let found = match table.compare {
        Some(scale) => compared(table, scale, &entries),
        None => range(table, &entries),
    };
    Some(format!(
        "{}: {}.",
        table.title,
        found.or_else(|| range(table, &entries))?
    ))
}

fn entries(table: &StudyTable) -> Vec<EntryInWords<'_>> {
    let entries = table
        .grids
        .iter()
        .flat_map(|grid| grid.entries().map(move |entry| (grid, entry)));
    let placed = entries.filter_map(|(grid, (row, column, entry))| {
        let entry = entry.measured()?;
        Some(EntryInWords {
            place: place(table, grid, row, column),
            entry,
        })
    });
    placed.collect()
}

fn place(table: &StudyTable, grid: &Grid, row: &str, column: &str) -> String {
    let of = grid
        .of
        .iter()
        .map(|(axis, level)| (axis.as_str(), level.as_str()));
    let own = [
        (table.row_axis.as_str(), row),
        (table.column_axis.as_str(), column),
    ];
    let levels = of.chain(own).filter(|(axis, _)| !axis.is_empty());
    levels
        .map(|(axis, level)| format!("{axis} {level}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the largest significant comparison, or that there is none; `None` if nothing is compared.
fn compared(table: &StudyTable, scale: DifferenceScale, entries: &[EntryInWords<'_>]) -> Option<String> {
    let size = |placed: &&EntryInWords<'_>| {
        let value = placed.entry.comparison.map_or(0.0, |comparison| comparison.value);
        match scale {
            DifferenceScale::Ratio => value.max(f64::MIN_POSITIVE).ln().abs(),
            DifferenceScale::Difference => value.abs(),
        }
    };
    let compared: Vec<&EntryInWords<'_>> = entries
        .iter()
        .filter(|placed| placed.entry.comparison.is_some())
        .collect();
    let is_significant =
        |placed: &&&EntryInWords<'_>| placed.entry.comparison.is_some_and(|one| one.significant);
    let significant = compared.iter().copied().filter(|placed| is_significant(&placed));
    let count = significant.clone().count();
    let baseline = table
        .baseline
        .iter()
        .map(|(axis, level)| format!("{axis} {level}"));
    let baseline = baseline.collect::<Vec<_>>().join(", ");
    let compared_count = compared.len();
    if compared_count > 0 && table.comparisons > 0 && count == 0 {
        return Some(format!(
            "no significant difference from {baseline} in {compared_count} {}",
            comparisons(compared_count)
        ));
    }
    let largest = match count {
        0 => compared
            .into_iter()
            .max_by(|one, other| size(one).total_cmp(&size(other))),
        _ => significant.max_by(|one, other| size(one).total_cmp(&size(other))),
    };
    let EntryInWords { place, entry } = largest?;
    let one = entry.comparison?;
    let text = match scale {
        DifferenceScale::Ratio => {
            let ratio = with_interval(one.value, one.interval, |ratio| format!("{ratio:.2}"));
            format!("{ratio} times that of {baseline}")
        }
        DifferenceScale::Difference => {
            let sign = if one.value > 0.0 { "+" } else { "" };
            let difference = with_interval(one.value, one.interval, |value| table.unit.text(value));
            format!("{sign}{difference} against {baseline}")
        }
    };
    Some(match count {
        0 => format!("{place}: {text}, not tested"),
        _ => format!(
            "{place}: {text}, the largest of {count} significant among {compared_count} {}",
            comparisons(compared_count)
        ),
    })
}

fn comparisons(count: usize) -> &'static str {
    if count == 1 { "comparison" } else { "comparisons" }
}

/// Returns the smallest and the largest value, or the only one.
fn range(table: &StudyTable, entries: &[EntryInWords<'_>]) -> Option<String> {
    let by_value =
        |one: &&EntryInWords<'_>, other: &&EntryInWords<'_>| one.entry.value.total_cmp(&other.entry.value);
    let [least, most] = [entries.iter().min_by(by_value)?, entries.iter().max_by(by_value)?];
    let unit = match table.unit.heading() {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let text = |placed: &EntryInWords<'_>| {
        format!("{}{unit} ({})", table.unit.text(placed.entry.value), placed.place)
    };
    Some(match entries.len() {
        1 => text(least),
        _ => format!("from {} to {}", text(least), text(most)),
    })
}
