//! Requests by step of a rate that changes in steps.

use logtrace_attribution::cause::Cause;
use logtrace_common::units;

use crate::document::{Document, StepCommits, StepRow};
use crate::render::table::Table;

/// Returns the counts and times of the requests of each step, or `None` if the rate did not change in steps.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let steps = document.driver.iter().flat_map(|driver| &driver.steps);
    let header = [
        "rate",
        "requests",
        "done",
        "lag p50",
        "p99",
        "service p50",
        "p99",
        "response p50",
        "p99",
    ];
    Table::new(1, header, steps.map(cells))
}

/// Returns the commits of each step: what they waited for most, and what grew most since the step before; or `None` if the rate
/// did not change in steps or nothing was traced.
pub(crate) fn commits(document: &Document) -> Option<Table> {
    let steps = document.driver.iter().flat_map(|driver| &driver.steps);
    let steps: Vec<(&StepRow, &StepCommits)> = steps
        .filter_map(|step| Some((step, step.commits.as_ref()?)))
        .collect();
    let before = std::iter::once(None).chain(steps.iter().map(|&(_, commits)| Some(commits)));
    let rows = steps.iter().zip(before).map(|(&(step, commits), before)| {
        let largest = commits.causes.first();
        let largest = largest.and_then(|row| share_of(row.cause, commits));
        vec![
            rate(step),
            largest.unwrap_or_default(),
            before
                .and_then(|before| grown(before, commits))
                .unwrap_or_default(),
            units::count(commits.count),
            units::mean_duration(commits.total(), commits.count),
        ]
    });
    let header = ["rate", "waited most for", "grew most", "commits", "mean"];
    Table::new(3, header, rows)
}

/// Factor by which the 99th percentile grows from one step to the next where requests begin to wait.
const JUMP: f64 = 2.0;

/// Returns up to which rate the response times hold, and by what the commits of the next step are longer; or `None` if the rate
/// did not rise in steps.
pub(crate) fn limit(document: &Document) -> Option<String> {
    let steps: Vec<&StepRow> = document.driver.iter().flat_map(|driver| &driver.steps).collect();
    let pairs = || steps.windows(2).map(|pair| (pair[0], pair[1]));
    if pairs().any(|(before, step)| before.to_per_s > step.from_per_s || step.requests == 0) {
        return None;
    }
    let growth = |(before, step): (&StepRow, &StepRow)| {
        units::real(step.response.p99) / units::real(before.response.p99.max(1))
    };
    let (at, largest) = pairs()
        .map(growth)
        .enumerate()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let holding = if largest < JUMP { steps.len() } else { at + 1 };
    let (held, above) = steps.split_at(holding);
    let last = held.last()?;
    let most_ns = held.iter().map(|step| step.response.p99).max()?;
    let mut sentence = format!(
        "up to {} the 99th percentile of the response is at most {}",
        rate(last),
        units::duration(most_ns)
    );
    if let Some(next) = above.first() {
        sentence += &format!("; at {} it is {}", rate(next), units::duration(next.response.p99));
        let commits = last.commits.as_ref().zip(next.commits.as_ref());
        if let Some(grown) = commits.and_then(|(before, commits)| grown(before, commits)) {
            sentence += &format!(", where a commit takes {grown}");
        }
    }
    Some(sentence)
}

fn share_of(cause: Cause, commits: &StepCommits) -> Option<String> {
    let mean_ns = commits.mean_of(cause)?;
    Some(format!("{} {}", units::duration(mean_ns), cause.words()))
}

/// Returns the cause whose mean grew most, with how much.
fn grown(before: &StepCommits, commits: &StepCommits) -> Option<String> {
    let growth = commits.causes.iter().filter_map(|row| {
        let now_ns = commits.mean_of(row.cause)?;
        Some((now_ns.checked_sub(before.mean_of(row.cause)?)?, row.cause))
    });
    let (growth_ns, cause) = growth.max_by_key(|&(growth_ns, _)| growth_ns)?;
    (growth_ns > 0).then(|| format!("+{} {}", units::duration(growth_ns), cause.words()))
}

fn rate(step: &StepRow) -> String {
    let from = units::tenths(step.from_per_s);
    match step.from_per_s == step.to_per_s {
        true => format!("{from}/s"),
        false => format!("{from} to {}/s", units::tenths(step.to_per_s)),
    }
}

fn cells(step: &StepRow) -> Vec<String> {
    let mut cells = vec![rate(step), units::count(step.requests), units::count(step.done)];
    for times in [&step.lag, &step.service, &step.response] {
        cells.extend([times.p50, times.p99].map(units::duration));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::reading::parse_json;
    use logtrace_attribution::cause::CauseTime;
    use logtrace_attribution::cause::Wait;

    /// Returns a document with a step of each rate, with this 99th percentile in milliseconds.
    fn document(steps: &[(f64, u64)]) -> Document {
        let golden =
            include_str!("../../../tests/report/render/snapshots/report__render__golden__traced.json.snap");
        let mut document = parse_json(golden.splitn(3, "---\n").last().unwrap()).unwrap();
        let driver = document.driver.as_mut().unwrap();
        let row = |&(per_s, p99_ms): &(f64, u64)| {
            let times = &driver.response;
            StepRow {
                at: 0,
                length: 1,
                from_per_s: per_s,
                to_per_s: per_s,
                requests: 10,
                done: 10,
                lag: *times,
                service: *times,
                response: logtrace_attribution::breakdown::Distribution {
                    p99: p99_ms * 1_000_000,
                    ..*times
                },
                commits: Some(StepCommits {
                    count: 10,
                    causes: vec![CauseTime {
                        cause: Cause::own(Wait::RunQueue),
                        total: p99_ms * 1_000_000,
                    }],
                }),
            }
        };
        driver.steps = steps.iter().map(row).collect();
        document
    }

    #[test]
    fn the_rate_is_named_after_which_requests_wait_and_what_commits_wait_for_then() {
        let rising = document(&[(100.0, 2), (200.0, 3), (300.0, 40), (400.0, 60)]);
        assert_eq!(
            limit(&rising).unwrap(),
            "up to 200.0/s the 99th percentile of the response is at most 3.00 ms; at 300.0/s it is 40.0 ms, where a commit takes \
             +3.70 ms run queue"
        );
        let steady = document(&[(100.0, 2), (200.0, 3)]);
        assert_eq!(
            limit(&steady).unwrap(),
            "up to 200.0/s the 99th percentile of the response is at most 3.00 ms"
        );
    }

    #[test]
    fn a_rate_that_falls_has_no_limit() {
        assert_eq!(limit(&document(&[(200.0, 3), (100.0, 2)])), None);
        assert_eq!(limit(&document(&[])), None);
    }
}
