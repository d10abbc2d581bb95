//! Results of each step of a rate that changes in steps.

use hdrhistogram::Histogram;
use logtrace_common::TimeRange;
use logtrace_events::{Outcome, Request};

use crate::util::new_histogram;

/// Results of the requests that were due in one step.
#[derive(Clone, Debug)]
pub struct RateStep {
    /// Time range of the step.
    pub range: TimeRange,
    /// Rate at its start, in requests per second.
    pub from_per_s: f64,
    /// Rate at its end; the same unless the rate rises or falls evenly within the step.
    pub to_per_s: f64,
    /// Number of requests due in the step.
    pub requests: u64,
    /// Number of requests done.
    pub done: u64,
    /// Lag of the requests done, in ns.
    pub lag: Histogram<u64>,
    /// Service time of the requests done, in ns.
    pub service: Histogram<u64>,
    /// Response time of the requests done, in ns.
    pub response: Histogram<u64>,
}

impl RateStep {
    /// Creates a step without requests.
    pub(crate) fn new(range: TimeRange, from_per_s: f64, to_per_s: f64) -> Self {
        Self {
            range,
            from_per_s,
            to_per_s,
            requests: 0,
            done: 0,
            lag: new_histogram(),
            service: new_histogram(),
            response: new_histogram(),
        }
    }

    /// Returns the step in which `due_ns` lies. The steps follow each other without gaps.
    pub(crate) fn at(steps: &mut [Self], due_ns: u64) -> Option<&mut Self> {
        let number = steps.partition_point(|step| step.range.end_ns <= due_ns);
        steps.get_mut(number).filter(|step| step.range.contains(due_ns))
    }

    /// Records one finished request that was due in the step.
    pub(crate) fn record(&mut self, request: &Request) {
        self.requests += 1;
        if request.outcome == Outcome::Done {
            self.done += 1;
            self.lag += request.lag_ns();
            self.service += request.service_ns();
            self.response += request.response_ns();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(due_ns: u64, outcome: Outcome) -> Request {
        Request {
            due_ns,
            connection_wait_ns: 0,
            sent_ns: due_ns + 2,
            attempt_ns: due_ns + 2,
            done_ns: due_ns + 12,
            outcome,
            retries: 0,
            thread: None,
        }
    }

    #[test]
    fn a_request_belongs_to_the_step_in_which_it_was_due() {
        let step = |start_ns, end_ns| RateStep::new(TimeRange { start_ns, end_ns }, 1.0, 1.0);
        let mut steps = [step(100, 200), step(200, 300)];
        for (due_ns, outcome) in [
            (99, Outcome::Done),
            (100, Outcome::Done),
            (199, Outcome::TimedOut),
            (200, Outcome::Done),
            (300, Outcome::Done),
        ] {
            if let Some(step) = RateStep::at(&mut steps, due_ns) {
                step.record(&request(due_ns, outcome));
            }
        }
        let counts = steps.map(|step| (step.requests, step.done, step.response.len()));
        assert_eq!(counts, [(2, 1, 1), (1, 1, 1)]);
    }
}
