//! The causes as lines of a report: the largest first, small ones merged, what is unexplained always by itself.

use crate::causes::cause::Wait;
use crate::document::{CauseRow, Commits, Document};
use crate::units;

/// Share of the commit time under which a cause is merged with the other small ones in a short report.
pub(crate) const SMALL: f64 = 0.005;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CauseLine {
    /// What the line tells about.
    pub(crate) subject: Subject,
    /// Nanoseconds over all commits.
    pub(crate) total: u64,
    /// Nanoseconds within the slowest 1 % of the commits.
    pub(crate) slowest: u64,
}

/// What a line tells about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// One cause.
    Cause(CauseRow),
    /// So many causes, each of them small.
    Smaller(usize),
    /// Commit time that no cause claims.
    Unexplained,
    /// All commit time: what the lines before it sum to.
    All,
}

impl Subject {
    /// File class, operation, wait and whose work; lines that are not about one cause use the first cell alone.
    pub(crate) fn cells(&self) -> [String; 4] {
        let alone = |text: String| [text, String::new(), String::new(), String::new()];
        match self {
            Self::Cause(row) => {
                let words = row
                    .cause
                    .io
                    .map(|(class, op)| [class.to_string(), op.to_string()]);
                let [file, op] = words.unwrap_or_default();
                [file, op, row.cause.wait.to_string(), row.cause.who.to_string()]
            }
            Self::Smaller(count) => alone(format!("{count} smaller causes")),
            Self::Unexplained => alone(Wait::Unexplained.to_string()),
            Self::All => alone("all commits".to_owned()),
        }
    }
}

/// The lines of a report. Causes with less than the share `small` of the commit time, both of all commits and of
/// the slowest, become one line. The lines but the last sum to the last.
pub(crate) fn lines(document: &Document, commits: &Commits, small: f64) -> Vec<CauseLine> {
    let (unexplained, mut known): (Vec<CauseRow>, Vec<CauseRow>) = document
        .causes
        .iter()
        .partition(|row| row.cause.wait == Wait::Unexplained);
    known.sort_by_key(|row| std::cmp::Reverse(row.total));
    let is_small = |row: &CauseRow| {
        let of_all = units::share(row.total, commits.total).unwrap_or(0.0);
        let of_slowest = units::share(row.slowest, commits.slowest_total).unwrap_or(0.0);
        of_all < small && of_slowest < small
    };
    let (mut smaller, mut large): (Vec<CauseRow>, Vec<CauseRow>) = known.into_iter().partition(is_small);
    if smaller.len() == 1 {
        large.append(&mut smaller);
    }
    let mut lines: Vec<CauseLine> = large
        .iter()
        .map(|row| line(Subject::Cause(*row), std::slice::from_ref(row)))
        .collect();
    if !smaller.is_empty() {
        lines.push(line(Subject::Smaller(smaller.len()), &smaller));
    }
    lines.push(line(Subject::Unexplained, &unexplained));
    lines.push(CauseLine {
        subject: Subject::All,
        total: commits.total,
        slowest: commits.slowest_total,
    });
    lines
}

fn line(subject: Subject, rows: &[CauseRow]) -> CauseLine {
    CauseLine {
        subject,
        total: units::sum(rows.iter().map(|row| row.total)),
        slowest: units::sum(rows.iter().map(|row| row.slowest)),
    }
}
