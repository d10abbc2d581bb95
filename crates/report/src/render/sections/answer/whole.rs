//! All sentences of the answer.

use std::cmp::Reverse;

use logtrace_attribution::breakdown::{OverTime, Part};
use logtrace_common::units;
use strum::IntoEnumIterator;

use crate::document::{Commits, Document, Driver};
use crate::render::sections::answer::words::{LEAST_SHARE, largest_part, meaning};
use crate::render::sections::answer::{rotation, slowest};
use crate::render::sections::holders::Culprit;
use crate::render::sections::tree::{self, Largest};
use crate::render::sections::{headline, holders, processes, stages, waited_for};

/// Part of all commits from which those of other clients are told: a hundredth.
const PART_OF_OTHERS: u64 = 100;

/// Returns the answer. Without commits it is about the response times.
pub(crate) fn answer(document: &Document, over_time: Option<&OverTime>) -> String {
    let commits = document.commits.as_ref().filter(|commits| commits.count > 0);
    let driver = document
        .driver
        .as_ref()
        .filter(|driver| driver.response.count > 0);
    let before = stages::sentence(document);
    let sentences = match (commits, driver) {
        (Some(commits), _) => of_commits(document, commits, over_time),
        (None, Some(driver)) => of_requests(document, driver),
        (None, None) => vec!["No commit and no request ended in the window.".to_owned()],
    };
    before.into_iter().chain(sentences).collect::<Vec<_>>().join(" ")
}

/// Who held commits up comes first, then what they usually take.
fn of_commits(document: &Document, commits: &Commits, over_time: Option<&OverTime>) -> Vec<String> {
    let usual = usual(document);
    let mut sentences = culprits(document, over_time);
    // It would be said twice.
    let others = over_time.filter(|_| sentences.is_empty());
    sentences.push(mean(commits));
    let times: Vec<_> = document.causes.iter().map(|row| (row.cause, row.total)).collect();
    sentences.extend(usual.as_ref().map(|usual| {
        let meaning = meaning(document, usual.cause, &times);
        format!("{}: {meaning}.", largest_part(usual, "of that is"))
    }));
    sentences.extend(processes::less_cpu(document));
    let is_much = commits
        .others
        .is_some_and(|others| others.count >= commits.count / PART_OF_OTHERS);
    let others_of = headline::other_clients(commits).filter(|_| is_much);
    sentences.extend(others_of.map(|others| format!("Of all commits, {others}.")));
    let usual = usual.map(|usual| usual.cause);
    sentences.push(slowest::sentence(document, commits, over_time, usual));
    sentences.extend(others.and_then(|over_time| other_threads(document, commits, over_time)));
    let response = document.response.filter(|response| response.total > 0);
    sentences.extend(response.map(|response| {
        let share = units::whole_percent(response.commit, response.total);
        format!("Commits are {share} of the response times.")
    }));
    sentences
}

/// Returns what commits waited for most.
pub(super) fn usual(document: &Document) -> Option<Largest> {
    tree::largest(document.causes.iter().map(|row| (row.cause, row.total)))
}

pub(super) fn mean(commits: &Commits) -> String {
    let mean = units::mean_duration(commits.total, commits.count);
    let median = units::duration(commits.distribution.p50);
    format!("A commit takes {mean} on average (median {median}).")
}

/// Returns who held commits up most, or what statements waited for before theirs; `None` if nobody stands out.
pub fn held_up(document: &Document, over_time: Option<&OverTime>) -> Option<String> {
    stages::sentence(document).or_else(|| culprits(document, over_time).into_iter().next())
}

/// Returns the sentences about sessions, transactions, rotations and other processes that held commits up, that of the longest time
/// first, and then that about a process whose writes may have.
fn culprits(document: &Document, over_time: Option<&OverTime>) -> Vec<String> {
    let culprits = [
        over_time.and_then(|over_time| waited_for::lock_holder(document, over_time)),
        holders::transaction(document),
        processes::most_cpu(document),
        rotation::culprit(document, over_time),
    ];
    let mut culprits: Vec<Culprit> = culprits.into_iter().flatten().collect();
    culprits.sort_by_key(|culprit| Reverse(culprit.ns));
    let sentences = culprits.into_iter().map(|culprit| culprit.sentence);
    sentences.chain(processes::writer(document)).collect()
}

/// Returns the sentence about the threads that commits waited for, if that was much of their time.
pub(super) fn other_threads(document: &Document, commits: &Commits, over_time: &OverTime) -> Option<String> {
    let waited_ns = over_time.waited_for.as_ref()?.total_ns();
    (waited_ns >= commits.total / LEAST_SHARE).then(|| waited_for::sentence(document, over_time))?
}

fn of_requests(document: &Document, driver: &Driver) -> Vec<String> {
    let largest = match document.response.filter(|response| response.requests > 0) {
        Some(of) => {
            let parts = [of.lag, of.client, of.before_commit, of.commit, of.after_commit];
            let names = Part::iter().map(Part::as_str);
            names.zip(parts).max_by_key(|&(_, ns)| ns)
        }
        None => {
            let parts = [
                ("the lag of logtrace", driver.pacer_lag.mean),
                ("the wait for a free connection", driver.connection_wait.mean),
                ("the server and the network", driver.service.mean),
            ];
            parts.into_iter().max_by_key(|&(_, ns)| ns)
        }
    };
    let whole = document.response.filter(|response| response.requests > 0);
    let whole = whole.map_or(driver.response.mean, |response| response.total);
    let mean = units::duration(driver.response.mean);
    let usual = match largest.filter(|&(_, ns)| ns > 0) {
        Some((part, ns)) => {
            let share = units::whole_percent(ns, whole);
            format!("A response takes {mean} on average; {share} of it is {part}.")
        }
        None => format!("A response takes {mean} on average."),
    };
    let slowest = format!("The slowest took {}.", units::duration(driver.response.max));
    let commits = document.commits.as_ref();
    let none = commits.map(|_| "There was no commit in the window.".to_owned());
    none.into_iter().chain([usual, slowest]).collect()
}
