//! Lines of a table of stages.

use logtrace_report::render::Unit;

use crate::tables::stage_table::{StageRow, StageTable};

/// Heading of the tables of stages.
pub(super) const HEADING: &str = "Stages of a statement";

/// Text above the tables of stages.
pub(super) const CAPTION: &str = "Means of a statement. The stages are timed by the server (Performance Schema), over the warm-up \
     and the window. Below the stage of the commit is what the commit waited for in the window, by logtrace; the last lines are \
     the statement's time outside of its commit, by cause";

/// Stages in which a server commits: of MySQL and of MariaDB (sql/mysqld.cc of both).
const COMMITS: [&str; 2] = ["waiting for handler commit", "Commit"];

/// Smallest share of a column with which a row has a line of its own. Smaller rows are added up.
const SMALLEST: f64 = 0.01;

/// Returns the header of a table: the axes, and the levels of each column.
pub(super) fn header(table: &StageTable) -> Vec<String> {
    let columns = table.columns.iter().map(|column| column.levels.join(", "));
    std::iter::once(table.axes.join(", ")).chain(columns).collect()
}

pub(super) fn lines(table: &StageTable) -> Vec<Vec<String>> {
    let whole = sums("sum of the stages", &table.stages);
    let mut lines = Vec::new();
    for stage in large(&table.stages, &whole) {
        lines.push(line("", &stage));
        if COMMITS.contains(&stage.name.as_str()) {
            lines.extend(large(&table.commit, &stage).iter().map(|cause| line("· ", cause)));
        }
    }
    lines.push(line("", &whole));
    let outside = sums("outside of the commit", &table.outside);
    lines.push(line("", &outside));
    lines.extend(
        large(&table.outside, &outside)
            .iter()
            .map(|cause| line("· ", cause)),
    );
    lines
}

/// Returns the rows that are a large part of a column of `whole`, and the sum of the others.
fn large(rows: &[StageRow], whole: &StageRow) -> Vec<StageRow> {
    let is_large = |row: &StageRow| {
        let mut parts = row.means.iter().zip(&whole.means);
        parts.any(|(part, whole)| part.is_some_and(|part| part >= whole.unwrap_or(0.0) * SMALLEST))
    };
    let (mut large, small): (Vec<StageRow>, Vec<StageRow>) = rows.iter().cloned().partition(is_large);
    if !small.is_empty() {
        large.push(sums(&format!("{} others", small.len()), &small));
    }
    large
}

/// Returns the sums of rows by column.
fn sums(name: &str, rows: &[StageRow]) -> StageRow {
    let columns = rows.iter().map(|row| row.means.len()).max().unwrap_or(0);
    let sum = |column: usize| {
        let means = rows.iter().filter_map(|row| row.means[column]);
        means.reduce(|sum, mean| sum + mean)
    };
    StageRow {
        name: name.to_owned(),
        means: (0..columns).map(sum).collect(),
    }
}

fn line(indent: &str, row: &StageRow) -> Vec<String> {
    let text = |mean: &Option<f64>| mean.map_or("-".to_owned(), |mean| Unit::Time.text(mean));
    let means = row.means.iter().map(text);
    std::iter::once(format!("{indent}{}", row.name))
        .chain(means)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::stage_table::StageColumn;

    fn row(name: &str, means: [f64; 2]) -> StageRow {
        StageRow {
            name: name.to_owned(),
            means: means.map(Some).to_vec(),
        }
    }

    fn table() -> StageTable {
        let column = |cell: &str, level: &str| StageColumn {
            cell: cell.to_owned(),
            levels: vec![level.to_owned()],
        };
        StageTable {
            server: "MySQL".to_owned(),
            axes: vec!["trx_commit".to_owned()],
            columns: vec![column("mysql_0", "0"), column("mysql_1", "1")],
            stages: vec![
                row("waiting for handler commit", [10_000.0, 200_000.0]),
                row("update", [60_000.0, 60_000.0]),
                row("init", [300.0, 300.0]),
                row("end", [400.0, 400.0]),
            ],
            commit: vec![
                row("redo fsync, device flush", [0.0, 150_000.0]),
                row("on CPU", [9_000.0, 40_000.0]),
            ],
            outside: vec![row("on CPU", [80_000.0, 80_000.0])],
        }
    }

    #[test]
    fn causes_follow_the_stage_of_the_commit_and_small_stages_are_added_up() {
        let lines: Vec<String> = lines(&table()).iter().map(|line| line.join(" | ")).collect();
        let expected = [
            "waiting for handler commit | 10.0 us | 200 us",
            "· redo fsync, device flush | 0 ns | 150 us",
            "· on CPU | 9.00 us | 40.0 us",
            "update | 60.0 us | 60.0 us",
            "2 others | 700 ns | 700 ns",
            "sum of the stages | 70.7 us | 261 us",
            "outside of the commit | 80.0 us | 80.0 us",
            "· on CPU | 80.0 us | 80.0 us",
        ];
        assert_eq!(lines, expected);
        assert_eq!(header(&table()), ["trx_commit", "0", "1"]);
    }
}
