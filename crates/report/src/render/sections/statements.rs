//! Causes of the time of statements outside their commits.

use logtrace_common::{FileClass, units};

use crate::document::{Document, StatementCause};
use crate::render::sections::causes::alone;
use crate::render::table::Table;

/// Share of the time below which causes are merged into one row, except those of the logs of statements.
const SMALL: f64 = 0.01;

/// Returns the number of statements and their mean time outside commits, or `None` if they were not explained.
pub(crate) fn title(document: &Document) -> Option<String> {
    let statements = document.statements.as_ref()?;
    let mean = units::mean(statements.total, statements.count)?;
    Some(format!(
        "statements outside of commits: {}, mean {}",
        units::count(statements.count),
        units::duration(mean)
    ))
}

/// Returns the causes, the largest first, or `None` if there are no statements.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let statements = document.statements.as_ref()?;
    let is_log = |row: &StatementCause| {
        matches!(
            row.cause.io,
            Some((FileClass::SlowLog | FileClass::GeneralLog, _))
        )
    };
    let is_large = |row: &&StatementCause| {
        units::share(row.total, statements.total).is_some_and(|share| share >= SMALL) || is_log(row)
    };
    let (large, small): (Vec<&StatementCause>, Vec<&StatementCause>) =
        statements.causes.iter().partition(is_large);
    let smaller = (!small.is_empty()).then(|| {
        let total = units::sum(small.iter().map(|row| row.total));
        (alone(format!("{} smaller causes", small.len())), total)
    });
    let large = large.into_iter().map(|row| (words(row), row.total));
    let rows = large.chain(smaller).map(|(words, total)| {
        let mean = units::mean_duration(total, statements.count);
        let share = units::percent(total, statements.total);
        [words.as_slice(), &[mean, share]].concat()
    });
    Table::new(4, ["", "", "", "", "mean", "share"], rows)
}

/// Returns file, operation and wait, without empty cells between them, and the role of the thread.
fn words(row: &StatementCause) -> [String; 4] {
    let (wait, who) = (row.cause.wait.to_string(), row.cause.who.to_string());
    match row.cause.io {
        Some((file, op)) => [file.to_string(), op.to_string(), wait, who],
        None => [wait, String::new(), String::new(), who],
    }
}
