//! Advice for the reader: meaning of the largest causes, and what to try.

use logtrace_attribution::cause::{Cause, Wait};
use logtrace_common::{Detail, units};

use crate::document::{CauseRow, Commits, Document};
use crate::render::sections::answer;

/// Returns advice for the largest cause of all commits and, if it differs, for that of the slowest commits; and how to
/// compare a run whose rate is a share of the server's capacity.
pub(crate) fn next(document: &Document) -> Vec<String> {
    let commits = document.commits.as_ref();
    let causes = commits.map_or_else(Vec::new, |commits| causes(document, commits));
    causes.into_iter().chain(comparison(document)).collect()
}

fn causes(document: &Document, commits: &Commits) -> Vec<String> {
    let Some((cause, ns)) = largest(&document.causes, |row| row.total) else {
        return Vec::new();
    };
    let sentence = |title: &str, part, whole, cause: Cause| {
        let (share, advice) = (units::percent(part, whole), meaning(document, cause.wait));
        format!("{title} ({share}): {}. {advice}.", cause.words())
    };
    let mut texts = vec![sentence("largest cause", ns, commits.total, cause)];
    if let Some((tail, ns)) = largest(&document.causes, |row| row.slowest)
        && tail != cause
    {
        let title = "largest in the slowest 1 %";
        texts.push(sentence(title, ns, commits.slowest_total, tail));
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

/// Returns the largest cause with its time, whoever worked.
fn largest(causes: &[CauseRow], by: fn(&CauseRow) -> u64) -> Option<(Cause, u64)> {
    let known = causes.iter().filter(|row| row.cause.wait != Wait::Unexplained);
    answer::largest(known.map(|row| (row.cause, by(row))))
}
