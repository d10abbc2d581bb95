//! Causes as lines of a report: the largest first, small ones merged, unexplained time always by itself.

use logtrace_attribution::cause::Wait;
use logtrace_common::units;

use crate::document::{CauseRow, Commits, Document};

/// Share of the commit time below which a cause is merged with the other small ones in a short report.
pub(crate) const SMALL: f64 = 0.005;

/// Line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CauseLine {
    pub(crate) subject: Subject,
    /// Nanoseconds over all commits.
    pub(crate) total: u64,
    /// Nanoseconds within the slowest 1 % of the commits.
    pub(crate) slowest: u64,
}

/// Subject of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Single cause.
    Cause(CauseRow),
    /// Number of small causes that were merged.
    Smaller(usize),
    /// Commit time that no cause claims.
    Unexplained,
    /// Sum of the lines before.
    All,
    /// Part of the sum that only rules of last resort name.
    LastResort,
}

impl CauseLine {
    /// Returns mean and share over all commits, and the share in the slowest 1 %.
    pub(crate) fn numbers(&self, commits: &Commits) -> [String; 3] {
        [
            units::duration(units::mean(self.total, commits.count).unwrap_or(0)),
            units::percent(self.total, commits.total),
            units::whole_percent(self.slowest, commits.slowest_total),
        ]
    }
}

impl Subject {
    /// Returns whether the line is a part of the commit time beside the others.
    pub(crate) fn is_part(self) -> bool {
        !matches!(self, Self::All | Self::LastResort)
    }

    /// Returns file class, operation, wait and role of the thread; a line about several causes uses the first cell alone.
    pub(crate) fn cells(&self) -> [String; 4] {
        match self {
            Self::Cause(CauseRow { cause, .. }) => {
                let words = cause.io.map(|(class, op)| [class.to_string(), op.to_string()]);
                let [file, op] = words.unwrap_or_default();
                [file, op, cause.wait.to_string(), cause.who.to_string()]
            }
            Self::Smaller(count) => alone(format!("{count} smaller causes")),
            Self::Unexplained => alone(Wait::Unexplained.to_string()),
            Self::All => alone("all commits".to_owned()),
            Self::LastResort => alone("by rules of last resort".to_owned()),
        }
    }
}

/// Returns cells with a text in the first one alone.
pub(crate) fn alone(text: String) -> [String; 4] {
    [text, String::new(), String::new(), String::new()]
}

/// Returns the lines of a report. Causes below the share `small` of the time, both of all commits and of the slowest,
/// become one line. The last two lines are the sum of the others, and the part of it that rules of last resort name.
pub(crate) fn lines(document: &Document, commits: &Commits, small: f64) -> Vec<CauseLine> {
    let (unexplained, mut known): (Vec<CauseRow>, Vec<CauseRow>) = document
        .causes
        .iter()
        .partition(|row| row.cause.wait == Wait::Unexplained);
    known.sort_by_key(|row| std::cmp::Reverse(row.total));
    let is_below = |part, whole| units::share(part, whole).unwrap_or(0.0) < small;
    let (mut smaller, mut large): (Vec<CauseRow>, Vec<CauseRow>) = known
        .into_iter()
        .partition(|row| is_below(row.total, commits.total) && is_below(row.slowest, commits.slowest_total));
    if smaller.len() == 1 {
        large.append(&mut smaller);
    }
    let large = large.into_iter().map(|row| line(Subject::Cause(row), &[row]));
    let smaller = (!smaller.is_empty()).then(|| line(Subject::Smaller(smaller.len()), &smaller));
    let all = CauseLine {
        subject: Subject::All,
        total: commits.total,
        slowest: commits.slowest_total,
    };
    let rows = document.causes.iter().filter(|row| row.cause.is_last_resort());
    let last_resort: Vec<CauseRow> = rows.copied().collect();
    let rest = [
        line(Subject::Unexplained, &unexplained),
        all,
        line(Subject::LastResort, &last_resort),
    ];
    large.chain(smaller).chain(rest).collect()
}

fn line(subject: Subject, rows: &[CauseRow]) -> CauseLine {
    CauseLine {
        subject,
        total: units::sum(rows.iter().map(|row| row.total)),
        slowest: units::sum(rows.iter().map(|row| row.slowest)),
    }
}
