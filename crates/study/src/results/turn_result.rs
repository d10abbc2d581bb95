//! Result of a short turn.

use std::collections::BTreeMap;

use logtrace_common::TimeRange;
use logtrace_events::{Outcome, Request};

use crate::results::figure::{Figure, Point, RequestTime};

/// Result of a short turn, with its place in the order of the study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnResult {
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// Number of the block in the repeat, from 0. The turns of a block are those of all cells.
    pub block: u32,
    /// Name of the cell that was under load just before, if any was.
    pub before: Option<String>,
    /// Figures.
    pub figures: BTreeMap<Figure, f64>,
}

/// Largest share of requests that may fail in a turn.
const FAILED: f64 = 0.01;
/// Number of requests beyond a percentile without which a turn does not show it.
const BEYOND: f64 = 10.0;

/// Returns the figures of a turn from the requests of a load that lasted longer: only what ended in the turn counts.
/// `new_orders` is the share of requests that count for NOPM.
pub fn turn_figures(
    requests: &[Request],
    turn: TimeRange,
    new_orders: Option<f64>,
) -> Result<BTreeMap<Figure, f64>, String> {
    let is_in = |one: &&Request| (turn.start_ns..turn.end_ns).contains(&one.done_ns);
    let (done, failed): (Vec<&Request>, Vec<&Request>) = requests
        .iter()
        .filter(is_in)
        .partition(|one| one.outcome == Outcome::Done);
    let all = done.len() + failed.len();
    if failed.len() as f64 > FAILED * all as f64 {
        return Err(format!("{} of {all} requests failed", failed.len()));
    }
    let per_s = done.len() as f64 / turn.length().as_secs_f64();
    let mut figures = BTreeMap::from([(Figure::Throughput, per_s)]);
    figures.extend(new_orders.map(|share| (Figure::Nopm, 60.0 * share * per_s)));
    for time in [RequestTime::Lag, RequestTime::Service, RequestTime::Response] {
        let mut sorted: Vec<u64> = done.iter().map(|one| of(time, one)).collect();
        sorted.sort_unstable();
        figures.extend(points(&sorted).map(|(point, value)| (Figure::Requests(time, point), value)));
    }
    Ok(figures)
}

fn of(time: RequestTime, request: &Request) -> u64 {
    match time {
        RequestTime::Lag => request.lag_ns(),
        RequestTime::Service => request.service_ns(),
        RequestTime::Response => request.response_ns(),
    }
}

/// Returns the mean of sorted times, and the percentiles that enough of them exceed.
fn points(sorted: &[u64]) -> impl Iterator<Item = (Point, f64)> {
    let count = sorted.len() as f64;
    let mean = (count > 0.0).then(|| sorted.iter().sum::<u64>() as f64 / count);
    let percentile = move |(point, share): (Point, f64)| {
        let rank = (share * count).ceil() as usize;
        let value = *sorted.get(rank.checked_sub(1)?)?;
        ((1.0 - share) * count >= BEYOND).then_some((point, value as f64))
    };
    let percentiles = [
        (Point::P50, 0.5),
        (Point::P90, 0.9),
        (Point::P95, 0.95),
        (Point::P99, 0.99),
    ];
    let mean = mean.map(|mean| (Point::Mean, mean));
    mean.into_iter()
        .chain(percentiles.into_iter().filter_map(percentile))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Returns a request each millisecond of 3 s. Each takes 5 ms, but for those of the first half second, which take 400 ms.
    fn requests() -> Vec<Request> {
        let request = |at: u64| {
            let done_ns = at * 1_000_000;
            let took = if at < 500 { 400_000_000 } else { 5_000_000 };
            let due_ns = done_ns.saturating_sub(took);
            Request {
                due_ns,
                connection_wait_ns: 0,
                sent_ns: due_ns,
                attempt_ns: due_ns,
                done_ns,
                outcome: Outcome::Done,
                retries: 0,
                thread: None,
            }
        };
        (0..3000).map(request).collect()
    }

    const TURN: TimeRange = TimeRange {
        start_ns: SECOND / 2,
        end_ns: 5 * SECOND / 2,
    };

    #[test]
    fn what_ended_before_or_after_the_turn_is_left_out() {
        let figures = turn_figures(&requests(), TURN, Some(0.45)).unwrap();
        assert_eq!(figures[&Figure::Throughput], 1000.0);
        assert_eq!(figures[&Figure::Nopm], 27_000.0);
        let service = |point| figures.get(&Figure::Requests(RequestTime::Service, point));
        for point in [Point::Mean, Point::P50, Point::P99] {
            assert_eq!(service(point), Some(&5e6), "{point}");
        }
        assert_eq!(service(Point::P999), None, "two requests are beyond it");
    }

    #[test]
    fn few_requests_have_a_mean_and_no_percentile() {
        let short = TimeRange {
            end_ns: TURN.start_ns + 15_000_000,
            ..TURN
        };
        let figures = turn_figures(&requests(), short, None).unwrap();
        let of = |point| figures.get(&Figure::Requests(RequestTime::Response, point));
        assert!(of(Point::Mean).is_some() && of(Point::P50).is_none());
        let empty = turn_figures(&[], TURN, None).unwrap();
        assert_eq!(empty, BTreeMap::from([(Figure::Throughput, 0.0)]));
    }

    #[test]
    fn a_turn_with_many_failed_requests_has_no_result() {
        let mut requests = requests();
        for request in requests.iter_mut().skip(1000).take(19) {
            request.outcome = Outcome::ServerError(1213);
        }
        assert!(turn_figures(&requests, TURN, None).is_ok());
        for request in requests.iter_mut().skip(1000).take(40) {
            request.outcome = Outcome::ServerError(1213);
        }
        let error = turn_figures(&requests, TURN, None).unwrap_err();
        assert_eq!(error, "40 of 2000 requests failed");
    }
}
