//! Every figure of the sentences and lists at the beginning of the page is one of the document.

use std::collections::BTreeSet;
use std::time::Duration;

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::{Breakdown, OverTime, StackTotals};
use logtrace_common::{TimeRange, units};
use logtrace_events::{Commit, CpuWait, OffCpu, Record, Wake};
use logtrace_report::document::{Commits, Document, TracedParts};
use logtrace_report::render::{Format, Input, render};
use logtrace_testkit::synthetic::{SERVER_TGID, group_commits, logs};
use proptest::prelude::*;

use super::samples;

/// Time of the first record.
const START_NS: u64 = 1_000_000_000;
const TID: u32 = 900;

/// Returns the analysis of group commits, and after them of commits of one more thread, each with a number of preemptions and
/// its duration.
fn analysed(longest: &[(u64, u64)]) -> Breakdown {
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: SERVER_TGID,
        logs: logs(),
        window: TimeRange::new(START_NS, u64::MAX),
    });
    let mut at_ns = 20 * START_NS;
    let mut more = Vec::new();
    for &(preemptions, length_ns) in longest {
        let end_ns = at_ns + length_ns;
        let step_ns = length_ns / (preemptions + 1);
        more.extend((0..preemptions).map(|n| {
            Record::OffCpu(OffCpu {
                tid: TID,
                out_ns: at_ns + n * step_ns + step_ns / 3,
                in_ns: at_ns + (n + 1) * step_ns,
                wake: Wake::Preempted,
                syscall: None,
                stack: None,
                cpu_wait: CpuWait::Server,
            })
        }));
        more.push(Record::Commit(Commit {
            tid: TID,
            start_ns: at_ns,
            end_ns,
        }));
        at_ns = end_ns + 1_000;
    }
    let records = group_commits(8, 40).into_iter().chain(more);
    records.for_each(|record| analysis.push(record));
    analysis.end_window(at_ns);
    analysis.finish()
}

/// Returns a run of these commits, and its page.
fn run(breakdown: &Breakdown) -> (Document, String) {
    let mut document = samples::traced().document;
    document.set_breakdown(breakdown, TracedParts::ALL);
    let page = page(&document, &breakdown.over_time);
    (document, page)
}

fn page(document: &Document, over_time: &OverTime) -> String {
    let input = Input {
        document,
        stacks: &StackTotals::default(),
        over_time: Some(over_time),
        color: false,
        all: false,
    };
    render(Format::Html, input).unwrap()
}

/// Returns the text between two marks.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = page.split_once(from).unwrap();
    rest.split_once(to).unwrap().0
}

/// Returns the numbers of a text with their units, such as `1.18 ms` and `44 %`.
fn figures(text: &str) -> BTreeSet<String> {
    let words: Vec<&str> = text
        .split([' ', ';', '(', ')', '<', '>', ':'])
        .map(|word| word.trim_end_matches([',', '.']))
        .collect();
    let number = |word: &str| word.starts_with(|first: char| first.is_ascii_digit());
    let pairs = words.windows(2).filter(|pair| number(pair[0]));
    pairs.map(|pair| format!("{} {}", pair[0], pair[1])).collect()
}

/// Returns whole percents next to a share: the tree rounds some of them up so that they sum to 100.
fn near(part: u64, whole: u64) -> [String; 2] {
    let exact = 100 * u128::from(part) / u128::from(whole.max(1));
    [exact, exact + 1].map(|percent| format!("{percent} %"))
}

/// Returns what the sentence about the usual commit may say.
fn usual(document: &Document, commits: &Commits) -> BTreeSet<String> {
    let mut known = BTreeSet::from([
        units::mean_duration(commits.total, commits.count),
        units::duration(commits.distribution.p50),
    ]);
    // Any sum of causes on one file, in one call or of one kind is a branch.
    let causes = &document.causes;
    for row in causes {
        let file = row.cause.io.map(|(class, _)| class);
        let sums = [
            units::sum(
                causes
                    .iter()
                    .filter(|other| other.cause.io.map(|(class, _)| class) == file && file.is_some())
                    .map(|other| other.total),
            ),
            units::sum(
                causes
                    .iter()
                    .filter(|other| {
                        other.cause.io == row.cause.io && other.cause.wait.kind() == row.cause.wait.kind()
                    })
                    .map(|other| other.total),
            ),
            units::sum(
                causes
                    .iter()
                    .filter(|other| other.cause.io == row.cause.io && other.cause.wait == row.cause.wait)
                    .map(|other| other.total),
            ),
        ];
        known.extend(sums.into_iter().flat_map(|sum| near(sum, commits.total)));
    }
    known
}

fn longest() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let one = (0u64..1_800, 1_000_000u64..400_000_000);
    proptest::collection::vec(one, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_maximum_of_each_sentence_is_that_of_the_distribution(longest in longest()) {
        let breakdown = analysed(&longest);
        let (document, page) = run(&breakdown);
        let commits = document.commits.as_ref().unwrap();
        let first = between(&page, "<p class=\"answer\">", "</p>");
        let answer = match page.split_once("<h2>The answer in full</h2>") {
            Some((_, whole)) => between(whole, "<p class=\"note\">", "</p>"),
            None => first,
        };
        let (before, after) = answer.split_once("The slowest took ").unwrap();
        let max = units::duration(commits.distribution.max);
        prop_assert!(after.starts_with(&max), "{answer}: not {max}");
        prop_assert!(first.contains(&format!("The slowest took {max}")), "{first}: not {max}");
        // When it ended, and its stall, are of the commit that took that long.
        let slowest = &breakdown.over_time.slowest.commits[0];
        let at = |ns: u64| units::seconds(Duration::from_nanos(ns).as_secs_f64());
        prop_assert!(after.contains(&format!("ended at {}", at(slowest.end))), "{answer}");
        if let Some((_, stall)) = after.split_once("in a stall: from ") {
            let from = commits.slow_tenths.iter().map(|tenth| at(tenth.at));
            prop_assert!(from.into_iter().any(|from| stall.starts_with(&from)), "{answer}");
        }
        for figure in figures(before) {
            prop_assert!(usual(&document, commits).contains(&figure), "{figure} of {answer}");
        }
        let (parts, total): (u64, u64) = (slowest.parts.iter().map(|part| part.0).sum(), slowest.ns);
        prop_assert_eq!(parts, total);
    }

    #[test]
    fn the_tiles_and_the_list_of_facts_are_those_of_the_document(longest in longest()) {
        let (document, page) = run(&analysed(&longest));
        let commits = document.commits.as_ref().unwrap();
        let driver = document.driver.as_ref().unwrap();
        let tiles = between(&page, "<dl class=\"tiles\">", "</dl>");
        let (of, response) = (&commits.distribution, &driver.response);
        for (name, commit, response) in [
            ("p50", of.p50, response.p50),
            ("p99", of.p99, response.p99),
            ("max", of.max, response.max),
        ] {
            let [commit, response] = [commit, response].map(units::duration);
            let tile = format!("<dt>commit {name}</dt><dd>{commit} <small>response {response}</small>");
            prop_assert!(tiles.contains(&tile), "{tile} is not in {tiles}");
        }
        let [rate, offered] = [driver.achieved_per_s, driver.offered_per_s.unwrap()].map(units::tenths);
        let tile = format!("<dt>requests</dt><dd>{rate}/s <small>offered {offered}/s</small>");
        prop_assert!(tiles.contains(&tile), "{tile} is not in {tiles}");
        let largest = between(tiles, "<dt>largest part</dt>", "</div>");
        let shares = figures(largest);
        prop_assert!(!shares.is_empty() && shares.is_subset(&usual(&document, commits)), "{largest}");
        // It is the first line of the tree.
        let (_, tree) = page.split_once("<table class=\"tree\">").unwrap();
        let name = between(tree, "<tr><td>", "</td>").trim_start_matches(['├', '└', ' ']);
        let percent = between(tree, "<td class=\"n\">", "</td>");
        prop_assert!(largest.starts_with(&format!("<dd>{name} {percent}")), "{largest}: {name} {percent}");
        let facts = between(&page, "<ul class=\"facts\">", "</ul>");
        let tracer = document.tracer.as_ref().unwrap();
        for fact in [
            format!("achieved {}/s", units::tenths(driver.achieved_per_s)),
            format!("lost events {}", units::count(tracer.lost)),
            format!("tracer {}", units::duration(tracer.cpu_ns_per_commit)),
        ] {
            prop_assert!(facts.contains(&fact), "{fact} is not in {facts}");
        }
    }

    #[test]
    fn no_share_of_service_exceeds_the_whole(longest in longest(), of_load in 0u64..=100) {
        let breakdown = analysed(&longest);
        let (mut document, _) = run(&breakdown);
        let commits = document.commits.as_mut().unwrap();
        let others = logtrace_report::document::OtherCommits {
            count: commits.count * (100 - of_load) / 100,
            total: commits.total / 100 * (100 - of_load),
        };
        commits.others = Some(others);
        let of_load = commits.total - others.total;
        let page = page(&document, &breakdown.over_time);
        let headline = between(&page, "<h2>Where commits waited</h2>\n<p>", "</p>");
        let service = document.driver.as_ref().unwrap().service;
        let share = headline.split_once(" % of service").map(|(before, _)| {
            let before = before.rsplit(' ').next().unwrap();
            before.parse::<u64>().unwrap()
        });
        let service_ns = service.mean * service.count;
        match of_load <= service_ns {
            true => {
                let share = share.unwrap();
                prop_assert!(share <= 100, "{headline}");
                prop_assert!(near(of_load, service_ns).contains(&format!("{share} %")), "{headline}");
            }
            false => prop_assert_eq!(share, None),
        }
        let says = headline.contains("are of other clients");
        prop_assert_eq!(says, others.count > 0, "{}", headline);
    }
}
