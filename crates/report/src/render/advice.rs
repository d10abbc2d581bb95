//! Advice for the reader: meaning of the largest causes, and what to try.

use logtrace_common::Detail;

use crate::causes::cause::Wait;
use crate::document::{CauseRow, Commits, Document};
use crate::render::sections::causes::{CauseLine, Subject, lines};
use crate::units;

/// Returns advice for the largest cause of all commits and, if it differs, for that of the slowest commits; and how to
/// compare a run whose rate is a share of the server's capacity.
pub(crate) fn next(document: &Document) -> Vec<String> {
    let commits = document.commits.as_ref();
    let causes = commits.map_or_else(Vec::new, |commits| causes(document, commits));
    causes.into_iter().chain(comparison(document)).collect()
}

fn causes(document: &Document, commits: &Commits) -> Vec<String> {
    let lines = lines(document, commits, 0.0);
    let Some((all, row)) = largest(&lines, |line| line.total) else {
        return Vec::new();
    };
    let sentence = |title: &str, part, whole, row: &CauseRow| {
        let (share, advice) = (units::percent(part, whole), meaning(document, row.cause.wait));
        format!("{title} ({share}): {}. {advice}.", name(row))
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

/// Returns the absolute rate of a run at a share of the capacity: with the same share, a faster server gets a higher rate,
/// and may be the slower one in a comparison.
fn comparison(document: &Document) -> Option<String> {
    let driver = document.driver.as_ref()?;
    driver.capacity.as_ref()?;
    let rate_per_s = driver.offered_per_s?;
    Some(format!(
        "The rate was a share of this server's own capacity. To compare it with another server, disk or setting, run both \
         with --rate {rate_per_s:.0}/s."
    ))
}

/// Returns what the wait means and what to try, in one sentence without its full stop.
fn meaning(document: &Document, wait: Wait) -> &'static str {
    let detail = document.tracing.as_ref().map(|tracing| tracing.detail.parse());
    match (wait, detail) {
        (Wait::FileIo, Some(Ok(Detail::Commit))) => {
            "The server made system calls on files, which --detail commit does not trace; --detail io shows which files"
        }
        (wait, _) => wait.advice(),
    }
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
    format!("{}, {}", row.cause.words(), row.cause.who)
}
