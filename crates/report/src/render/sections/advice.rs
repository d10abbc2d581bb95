//! Advice for the reader: what to change, and where to look next.

use logtrace_attribution::breakdown::OverTime;
use logtrace_common::units;

use crate::advice::advised;
use crate::document::Document;
use crate::render::sections::tree;

/// Variable that every server has and that is read with a login alone.
const WITH_A_LOGIN: &str = "innodb_flush_method";

/// Advice with its title.
pub(crate) struct AdviceSection {
    pub(crate) title: String,
    pub(crate) items: Vec<String>,
}

/// Returns what to change, or `None` if there is nothing to say.
pub(crate) fn section(document: &Document, over_time: Option<&OverTime>) -> Option<AdviceSection> {
    let commits = document.commits.as_ref()?;
    let whole = tree::of_commits(document);
    let items = advised(document, over_time).into_iter().map(|advice| {
        let percent = tree::percent_of(&whole, advice.governed.all_ns, |cause| {
            advice.governed.is_about(cause)
        });
        advice.text(commits, percent)
    });
    let items: Vec<String> = items.collect();
    let mean = units::mean_duration(commits.total, commits.count);
    (!items.is_empty()).then(|| AdviceSection {
        title: format!("what to change, and how much of the {mean} of a commit it is about"),
        items,
    })
}

/// Returns how to know more: which settings are not known, and how to compare a run whose rate is a share of the server's
/// capacity.
pub(crate) fn next(document: &Document) -> Vec<String> {
    settings(document)
        .into_iter()
        .chain(comparison(document))
        .collect()
}

/// Returns what a login would add to the trace of a process.
fn settings(document: &Document) -> Option<String> {
    document.trace.as_ref()?;
    let is_known = document.server.settings.contains_key(WITH_A_LOGIN);
    let said = "Without a login most settings of the server are not known, and so not advised: trace \
                mysql://USER@localhost/?socket=PATH instead of the process.";
    (!is_known).then(|| said.to_owned())
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
