//! Advice for the reader: meaning of the largest causes, and what to try.

use crate::causes::cause::Cause;
use crate::document::{CauseRow, Commits, Document};
use crate::render::sections::causes::{CauseLine, Subject, lines};
use crate::units;

/// Returns advice for the largest cause of all commits and, if it differs, for that of the slowest commits.
pub(crate) fn next(document: &Document, commits: &Commits) -> Vec<String> {
    let lines = lines(document, commits, 0.0);
    let Some((all, row)) = largest(&lines, |line| line.total) else {
        return Vec::new();
    };
    let mut texts = vec![sentence("largest cause", all.total, commits.total, &row)];
    if let Some((tail, tail_row)) = largest(&lines, |line| line.slowest)
        && tail_row != row
    {
        let title = "largest in the slowest 1 %";
        texts.push(sentence(title, tail.slowest, commits.slowest_total, &tail_row));
    }
    texts
}

fn sentence(title: &str, part: u64, whole: u64, row: &CauseRow) -> String {
    let share = units::percent(part, whole);
    format!("{title} ({share}): {}. {}.", name(row), row.cause.wait.advice())
}

fn largest(lines: &[CauseLine], by: fn(&CauseLine) -> u64) -> Option<(&CauseLine, CauseRow)> {
    let causes = lines.iter().filter_map(|line| match line.subject {
        Subject::Cause(row) if by(line) > 0 => Some((line, row)),
        _ => None,
    });
    // Among equals the first is chosen: it is the largest over all commits.
    causes.rev().max_by_key(|(line, _)| by(line))
}

fn name(row: &CauseRow) -> String {
    let Cause { who, io, wait } = row.cause;
    let file = io.map(|(class, op)| format!("{class} {op} "));
    format!("{}{wait}, {who}", file.unwrap_or_default())
}
