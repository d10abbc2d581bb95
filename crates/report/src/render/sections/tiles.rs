//! Figures of the first screen of the page.

use logtrace_common::units;

use crate::document::{Distribution, Document};
use crate::render::sections::{headline, tree};

/// Figure with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::render) struct Tile {
    pub(in crate::render) name: String,
    pub(in crate::render) value: String,
    /// Second figure, which belongs to the first.
    pub(in crate::render) more: Option<String>,
}

/// Returns p50, p99 and maximum of the commits, or of the response times of a run without commits, the rate, and the largest branch
/// of the commit time.
pub(in crate::render) fn tiles(document: &Document) -> Vec<Tile> {
    let commits = document.commits.as_ref().map(|commits| &commits.distribution);
    let responses = document.driver.as_ref().map(|driver| &driver.response);
    let [commits, responses] = [commits, responses].map(|times| times.filter(|times| times.count > 0));
    let times = match (commits, responses) {
        (Some(commits), responses) => percentiles("commit", commits, responses),
        (None, Some(responses)) => percentiles("response", responses, None),
        (None, None) => Vec::new(),
    };
    let figures = [rate(document), largest(document)];
    times.into_iter().chain(figures.into_iter().flatten()).collect()
}

fn percentiles(of: &str, times: &Distribution, responses: Option<&Distribution>) -> Vec<Tile> {
    let more = responses.map(named);
    let tile = |(at, (name, ns)): (usize, (&str, u64))| Tile {
        name: format!("{of} {name}"),
        value: units::duration(ns),
        more: more.map(|more| format!("response {}", units::duration(more[at].1))),
    };
    named(times).into_iter().enumerate().map(tile).collect()
}

/// Returns the figures of a tile each, with their names.
fn named(times: &Distribution) -> [(&'static str, u64); 3] {
    [("p50", times.p50), ("p99", times.p99), ("max", times.max)]
}

fn rate(document: &Document) -> Option<Tile> {
    let per_second = |rate| format!("{}/s", units::tenths(rate));
    let driver = document.driver.as_ref().filter(|driver| driver.requests > 0);
    let (name, rate, more) = match driver {
        Some(driver) => {
            let offered = driver
                .offered_per_s
                .map(|rate| format!("offered {}", per_second(rate)));
            ("requests", driver.achieved_per_s, offered)
        }
        None => ("commits", headline::commit_rate(document)?, None),
    };
    Some(Tile {
        name: name.to_owned(),
        value: per_second(rate),
        more,
    })
}

fn largest(document: &Document) -> Option<Tile> {
    let of = tree::largest(document.causes.iter().map(|row| (row.cause, row.total)))?;
    Some(Tile {
        name: "largest part".to_owned(),
        value: format!("{} {} %", of.branch, of.branch_percent),
        more: (!of.is_all).then(|| format!("{} {} %", of.leaf, of.percent)),
    })
}
