//! Counts of what repetitions of a study find: changes of a known size, and none where there is none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use logtrace_statistics::{median, share_interval};
use serde_json::Value;

/// Counts how often repetitions of studies/power.toml found the work that was added, and a change where none was made.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Directories of the repetitions.
    #[arg(required = true)]
    studies: Vec<PathBuf>,
}

/// Comparison of a cell with its baseline in one repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    ratio: f64,
    low: f64,
    high: f64,
    is_significant: bool,
}

/// Levels of a comparison: of its row, the server, and of its column, the work of a request.
type ComparedLevels = (String, String);

/// Prints a table of all changes.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut changes: BTreeMap<ComparedLevels, Vec<Found>> = BTreeMap::new();
    for directory in &arguments.studies {
        for (change, found) in comparisons(&read(directory)?) {
            changes.entry(change).or_default().push(found);
        }
    }
    println!(
        "| server | work | true ratio | ratio, median | significant | interval contains the true ratio |"
    );
    println!("|---|---|---|---|---|---|");
    for ((of, level), found) in &changes {
        println!("{}", row(of, level, found)?);
    }
    Ok(())
}

fn read(directory: &Path) -> anyhow::Result<Value> {
    let path = directory.join("study.json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no study", path.display()))
}

/// Returns the comparisons of the tables of a study.
fn comparisons(study: &Value) -> Vec<(ComparedLevels, Found)> {
    let mut comparisons = Vec::new();
    for grid in items(study, "tables")
        .iter()
        .flat_map(|table| items(table, "grids"))
    {
        for row in items(grid, "rows") {
            for (column, entry) in items(grid, "columns").iter().zip(items(row, "entries")) {
                let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let found = comparison(&entry["comparison"]);
                comparisons.extend(found.map(|found| ((name(&row["level"]), name(column)), found)));
            }
        }
    }
    comparisons
}

fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn comparison(comparison: &Value) -> Option<Found> {
    Some(Found {
        ratio: comparison["value"].as_f64()?,
        low: comparison["interval"]["low"].as_f64()?,
        high: comparison["interval"]["high"].as_f64()?,
        is_significant: comparison["significant"].as_bool()?,
    })
}

/// Returns the row of a change. Its level begins with the work of a request by that of the baseline.
fn row(of: &str, level: &str, found: &[Found]) -> anyhow::Result<String> {
    let work: Option<f64> = level.split(' ').next().and_then(|work| work.parse().ok());
    let work = work.with_context(|| format!("the level {level:?} does not begin with a number"))?;
    let truth = 1.0 / work;
    let ratios: Vec<f64> = found.iter().map(|one| one.ratio).collect();
    let count = |is_one: &dyn Fn(&Found) -> bool| found.iter().filter(|one| is_one(one)).count();
    // A significant change in the wrong direction does not count as found.
    let significant = count(&|one| one.is_significant && (truth >= 1.0 || one.ratio < 1.0));
    let covering = count(&|one| one.low <= truth && truth <= one.high);
    Ok(format!(
        "| {of} | {level} | {truth:.3} | {:.3} | {} | {} |",
        median(&ratios).unwrap_or(f64::NAN),
        share(significant, found.len()),
        share(covering, found.len()),
    ))
}

/// Returns a share with its interval.
fn share(hits: usize, tries: usize) -> String {
    let interval = share_interval(hits as u64, tries as u64);
    let interval = interval.map(|one| format!(" ({:.0} to {:.0} %)", one.low * 100.0, one.high * 100.0));
    format!("{hits} of {tries}{}", interval.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn study() -> Value {
        let entry = |value: f64, low: f64, high: f64, significant: bool| {
            let interval = json!({ "low": low, "high": high });
            json!({ "state": "measured", "comparison":
                { "value": value, "interval": interval, "significant": significant } })
        };
        let entries = [
            json!({ "state": "measured", "comparison": null }),
            entry(0.99, 0.97, 1.01, false),
            entry(0.95, 0.93, 0.97, true),
        ];
        let row = json!({ "level": "mysql", "entries": entries });
        json!({ "tables": [{ "grids": [{ "columns": ["1.00", "1.00 again", "1.05"], "rows": [row] }] }] })
    }

    #[test]
    fn comparisons_are_those_of_the_tables() {
        let found = comparisons(&study());
        let levels: Vec<&str> = found.iter().map(|((_, level), _)| level.as_str()).collect();
        assert_eq!(levels, ["1.00 again", "1.05"]);
        assert_eq!(found[1].0.0, "mysql");
        assert_eq!(found[1].1.ratio, 0.95);
    }

    #[test]
    fn a_change_that_is_found_is_counted_and_its_true_ratio_is_covered() {
        let found: Vec<Found> = comparisons(&study())
            .into_iter()
            .map(|(_, found)| found)
            .collect();
        let added = row("mysql", "1.05", &[found[1], found[1], found[0]]).unwrap();
        assert!(
            added.contains("| 0.952 | 0.950 | 2 of 3 (9 to 99 %) | 2 of 3 (9 to 99 %) |"),
            "{added}"
        );
        let same = row("mysql", "1.00 again", &[found[0]]).unwrap();
        assert!(same.contains("| 1.000 | 0.990 | 0 of 1"), "{same}");
        assert!(row("mysql", "again", &found).is_err());
    }
}
