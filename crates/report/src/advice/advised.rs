//! Choice of the advice for a run.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use logtrace_attribution::breakdown::{LARGE_BYTES, OverTime};
use logtrace_attribution::cause::Wait;
use logtrace_common::units;

use crate::advice::governed::Governed;
use crate::advice::outside::remedy;
use crate::advice::rule::SettingRule;
use crate::advice::rules::RULES;
use crate::document::{Commits, Document};

/// Most pieces of advice: more are not read.
const MOST: usize = 3;

/// Name of the advice about large transactions.
const TRANSACTIONS: &str = "smaller transactions";

/// Piece of advice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Advice {
    /// Variable or wait that it is about.
    about: &'static str,
    /// Change of a setting, or the wait that no setting governs.
    pub(crate) change: String,
    /// Time that it is about.
    pub(crate) governed: Governed,
    /// Price of a change; else what helps outside of the settings.
    pub(crate) then: String,
}

impl Advice {
    /// Returns it as one text, such as `sync_binlog=100 (now 1): 45 %, 531 us. Price: ...`, with this share of the commit time.
    pub(crate) fn text(&self, commits: &Commits, percent: u64) -> String {
        let Self {
            about: _,
            change,
            governed,
            then,
        } = self;
        format!("{change}: {}. {then}", governed.text(commits, percent))
    }
}

/// Returns the advice about the most time, the largest first. If none of it is about the slowest commits, and a change is about much
/// of these alone, that is the last one.
pub(crate) fn advised(document: &Document, over_time: Option<&OverTime>) -> Vec<Advice> {
    let Some(commits) = document.commits.as_ref().filter(|commits| commits.count > 0) else {
        return Vec::new();
    };
    let settings: Vec<(&SettingRule, Advice)> = RULES
        .iter()
        .filter_map(|rule| Some((rule, of_setting(rule, document, over_time)?)))
        .collect();
    let waits: BTreeSet<Wait> = document.causes.iter().map(|row| row.cause.wait).collect();
    let waits = waits.into_iter().filter(|&wait| {
        let mut rules = settings.iter();
        !rules.any(|(rule, _)| rule.is_about(wait))
    });
    let outside: Vec<Advice> = waits
        .filter_map(|wait| outside_of_settings(wait, document, over_time))
        .collect();
    let mut all: Vec<Advice> = settings.into_iter().map(|(_, advice)| advice).collect();
    all.extend(outside);
    all.extend(smaller_transactions(document));
    all.retain(|advice| advice.governed.is_worth(commits));
    all.sort_by_key(|advice| Reverse(advice.governed.all_ns));
    // Some variables are too large for one cause and too small for another.
    let mut known = BTreeSet::new();
    all.retain(|advice| known.insert(advice.about));
    shortened(all, commits)
}

fn of_setting(rule: &SettingRule, document: &Document, over_time: Option<&OverTime>) -> Option<Advice> {
    let change = rule.change(document)?;
    let page = rule.page().map(|page| format!(" ({page})"));
    Some(Advice {
        about: rule.variables.first()?,
        change,
        governed: Governed::of(document, over_time, |cause| rule.governs(cause)),
        then: format!("Price: {}{}.", rule.price, page.unwrap_or_default()),
    })
}

fn outside_of_settings(wait: Wait, document: &Document, over_time: Option<&OverTime>) -> Option<Advice> {
    Some(Advice {
        about: wait.into(),
        change: wait.to_string(),
        governed: Governed::of(document, over_time, |cause| cause.wait == wait),
        then: format!("No setting: {}.", remedy(document, wait)?),
    })
}

/// Returns the advice about large transactions for which commits waited, if there were some.
fn smaller_transactions(document: &Document) -> Option<Advice> {
    let rows = document.holders.iter().flat_map(|holders| &holders.transactions);
    let large = rows.filter(|row| row.bytes.is_some_and(|bytes| bytes >= LARGE_BYTES));
    let waited = units::sum(large.map(|row| row.waited));
    (waited > 0).then(|| Advice {
        about: TRANSACTIONS,
        change: TRANSACTIONS.to_owned(),
        governed: Governed::waited(waited),
        then: "No setting: commit large changes in parts, while few others commit.".to_owned(),
    })
}

/// Keeps the first ones, and of the others that about large transactions, or else the largest one of the slowest commits.
fn shortened(mut all: Vec<Advice>, commits: &Commits) -> Vec<Advice> {
    let is_of_tail = |advice: &Advice| advice.governed.is_of_tail(commits);
    let later = all.split_off(MOST.min(all.len()));
    let transactions = later.iter().find(|advice| advice.about == TRANSACTIONS);
    let tail = later.iter().find(|advice| is_of_tail(advice));
    let tail = tail.filter(|_| !all.iter().any(is_of_tail));
    if let Some(last) = transactions.or(tail) {
        all.pop();
        all.push(last.clone());
    }
    all
}
