//! Measurements of the driver, for the document; pure.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{Distribution, OverTime};
use logtrace_common::TimeRange;
use logtrace_driver::{Capacity, DriveResult, Outage, RateStep};
use logtrace_report::document::{self, Driver, KindRow, OutageRow, StepCommits, StepRow};

use crate::config::run_config::RunConfig;
use crate::document::failures::{code_name, first_errors};
use crate::document::request_type_row::kind_row;
use crate::outcome::run_outcome::RunOutcome;

/// Returns what the driver measured; before its end only what is known of the load.
pub(crate) fn driver(config: &RunConfig, raw: &RunOutcome) -> Driver {
    let capacity = raw.capacity.as_ref().map(|measured| capacity(config, measured));
    let Some(measured) = &raw.measured else {
        let capacity_per_s = capacity.as_ref().map(|capacity| capacity.per_s);
        return Driver {
            offered_per_s: config.pacing.offered_per_s(config.duration, capacity_per_s),
            capacity,
            ..Driver::default()
        };
    };
    let traced = raw.snapshot.traced.as_ref();
    let over_time = traced.map(|traced| &traced.explained.breakdown.over_time);
    Driver {
        capacity,
        offered_per_s: measured.offered_per_s,
        achieved_per_s: measured.achieved_per_s,
        requests: measured.requests,
        done: measured.done,
        errors: by_code(&measured.errors),
        first_errors: first_errors(measured),
        retries: by_code(&measured.retries),
        from_warmup: measured.from_warmup,
        late: measured.late,
        late_by_pacer: measured.lag_parts.late_by_pacer,
        queued: measured.queued,
        unsent: measured.unsent,
        unfinished: measured.unfinished,
        per_tenth: measured.per_tenth.clone(),
        backlog_max: measured.backlog_max,
        backlog_end: measured.backlog_end,
        cpu_ns: measured.client_cpu_ns,
        lag: Distribution::from(&measured.lag),
        pacer_lag: Distribution::from(&measured.lag_parts.pacer),
        connection_wait: Distribution::from(&measured.lag_parts.connection),
        service: Distribution::from(&measured.service),
        response: Distribution::from(&measured.response),
        response_with_failed: Distribution::from(&measured.response_with_failed),
        retrying: Distribution::from(&measured.retrying),
        outages: outages(measured),
        kinds: kinds(config, measured),
        steps: measured
            .steps
            .iter()
            .map(|step| step_row(step, measured, over_time))
            .collect(),
    }
}

/// Returns the requests by type, for a workload from a file.
fn kinds(config: &RunConfig, measured: &DriveResult) -> Vec<KindRow> {
    let Some(custom) = config.requests.custom() else {
        return Vec::new();
    };
    let kinds = custom.kinds().zip(&measured.kinds);
    kinds.map(|(name, kind)| kind_row(name, kind)).collect()
}

fn capacity(config: &RunConfig, measured: &Capacity) -> document::Capacity {
    document::Capacity {
        per_s: measured.per_s,
        parts_per_s: measured.parts_per_s.clone(),
        lasts: measured.lasts,
        connections: u32::try_from(config.connections.closed().get()).ok(),
    }
}

fn step_row(step: &RateStep, measured: &DriveResult, over_time: Option<&OverTime>) -> StepRow {
    let since_start = |at_ns: u64| at_ns.saturating_sub(measured.window.start_ns);
    let part = TimeRange::new(since_start(step.range.start_ns), since_start(step.range.end_ns));
    StepRow {
        at: part.start_ns,
        length: step.range.length_ns(),
        from_per_s: step.from_per_s,
        to_per_s: step.to_per_s,
        requests: step.requests,
        done: step.done,
        lag: Distribution::from(&step.lag),
        service: Distribution::from(&step.service),
        response: Distribution::from(&step.response),
        commits: over_time.map(|over_time| StepCommits::of(over_time, part)),
    }
}

/// Returns the outages in the window. An outage that began before the window counts from its beginning.
fn outages(measured: &DriveResult) -> Vec<OutageRow> {
    let row = |outage: &Outage| {
        let start_ns = outage.start_ns.max(measured.window.start_ns);
        OutageRow {
            at: start_ns - measured.window.start_ns,
            length: outage.end_ns.map(|end_ns| end_ns.saturating_sub(start_ns)),
            connections: outage.connections,
            back: outage.back,
            cause: outage.cause.to_string(),
        }
    };
    measured.outages.iter().map(row).collect()
}

fn by_code(counts: &BTreeMap<u16, u64>) -> BTreeMap<String, u64> {
    let counts = counts.iter();
    counts.map(|(&code, &count)| (code_name(code), count)).collect()
}

#[cfg(test)]
mod tests {
    use logtrace_driver::{DISCONNECTED, OutageCause, TIMED_OUT};

    use super::*;
    use crate::samples::{SECOND_NS, measured, run_config, run_outcome, times};

    #[test]
    fn before_its_end_a_run_has_its_rate_and_its_capacity_alone() {
        let mut raw = run_outcome();
        raw.measured = None;
        raw.capacity = Some(Capacity {
            per_s: 2_000.0,
            parts_per_s: vec![2_100.0, 2_000.0],
            lasts: true,
        });
        let early = driver(&run_config("update_key"), &raw);
        assert_eq!(early.offered_per_s, Some(1_000.0));
        let capacity = early.capacity.clone().unwrap();
        assert_eq!((capacity.per_s, capacity.connections), (2_000.0, Some(1)));
        let nothing = Driver {
            offered_per_s: early.offered_per_s,
            capacity: early.capacity.clone(),
            ..Driver::default()
        };
        assert_eq!(early, nothing);
    }

    #[test]
    fn errors_without_a_code_have_words() {
        let counts = BTreeMap::from([(1213, 3), (DISCONNECTED, 2), (TIMED_OUT, 1)]);
        let names = [("1213", 3), ("deadline", 1), ("disconnected", 2)];
        let expected = names.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(by_code(&counts), BTreeMap::from(expected));
    }

    #[test]
    fn an_outage_counts_from_the_start_of_the_window_on() {
        let mut measured = measured();
        let outage = |start_ns, end_ns| Outage {
            start_ns,
            end_ns,
            connections: 2,
            back: 1,
            cause: OutageCause::Restarted,
        };
        measured.outages = vec![
            outage(SECOND_NS / 2, Some(SECOND_NS + 7)),
            outage(SECOND_NS + 5, None),
        ];
        let rows = outages(&measured);
        let times: Vec<_> = rows.iter().map(|row| (row.at, row.length)).collect();
        assert_eq!(times, [(0, Some(7)), (5, None)]);
        assert_eq!(
            (rows[0].connections, rows[0].back, rows[0].cause.as_str()),
            (2, 1, "restarted")
        );
    }

    #[test]
    fn a_step_has_the_commits_of_its_time_where_they_were_traced() {
        let mut raw = run_outcome();
        let half = |start_ns: u64| RateStep {
            range: TimeRange::new(start_ns, start_ns + SECOND_NS / 2),
            from_per_s: 100.0,
            to_per_s: 100.0,
            requests: 50,
            done: 50,
            lag: times(0, 50),
            service: times(1_000_000, 50),
            response: times(1_000_000, 50),
        };
        let driven = raw.measured.as_mut().unwrap();
        driven.window = TimeRange::new(0, 4 * SECOND_NS);
        // The invented server commits from the first second on.
        driven.steps = vec![half(0), half(SECOND_NS), half(3 * SECOND_NS)];
        let config = run_config("update_key");
        let steps = driver(&config, &raw).steps;
        let at: Vec<(u64, u64)> = steps.iter().map(|step| (step.at, step.length)).collect();
        let length = SECOND_NS / 2;
        assert_eq!(at, [(0, length), (SECOND_NS, length), (3 * SECOND_NS, length)]);
        let counts = steps.iter().map(|step| step.commits.as_ref().unwrap().count);
        assert_eq!(counts.collect::<Vec<_>>(), [0, 200, 0]);
        raw.snapshot.traced = None;
        assert!(
            driver(&config, &raw)
                .steps
                .iter()
                .all(|step| step.commits.is_none())
        );
    }
}
