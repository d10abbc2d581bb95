//! Bounds of the difference of two clocks, and the line between them.
//!
//! The client sends a request at `sent` of its clock, and the thread wakes up for it at `woken` of the server's clock, so
//! `offset(sent) <= woken - sent`. The commit ends at `end` of the server's clock, and the client has the answer at `done`,
//! so `offset(done) >= end - done`. The clocks run evenly in a short time, so the offset is a line over time. Every line
//! that no bound contradicts is possible (Duda, Harrus, Haddad, Bernard: Estimating global time in distributed systems,
//! ICDCS 1987).

use logtrace_common::TimeRange;

use super::times::difference;

/// Fastest drift of one clock against another: Linux slews by at most 500 ppm, and crystals are better than that.
const FASTEST: f64 = 1e-3;

/// Number of steps of a search. Each one divides the rest by at least 1.5.
const STEPS: usize = 120;

/// Bounds of the offset, the server's clock minus the client's, by one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Time of the client for which the upper bound holds.
    pub(super) sent_ns: u64,
    /// Time of the client for which the lower bound holds.
    pub(super) done_ns: u64,
    pub(super) upper_ns: i64,
    pub(super) lower_ns: i64,
}

impl Bounds {
    /// Returns whether an offset is between the bounds.
    pub(super) fn allow(&self, offset_ns: i64) -> bool {
        (self.lower_ns..=self.upper_ns).contains(&offset_ns)
    }
}

/// Offset of the server's clock over the client's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockLine {
    /// Time of the client at which the offset is `offset_ns`.
    pub at_ns: u64,
    /// Server's clock minus the client's clock.
    pub offset_ns: i64,
    /// Growth of the offset by time: 1e-6 is a microsecond a second.
    pub drift: f64,
}

impl ClockLine {
    /// Returns the server's clock minus the client's clock at a time of the client.
    pub fn offset_at(&self, client_ns: u64) -> i64 {
        let since_ns = difference(client_ns, self.at_ns);
        self.offset_ns + (since_ns as f64 * self.drift).round() as i64
    }
}

/// Point of a bound: time and offset, both relative to a reference.
type BoundPoint = (f64, f64);

/// Returns the line in the middle of all possible lines, and its largest possible error in `window`. Returns `None` if no
/// line is possible.
pub(super) fn line_between(bounds: &[Bounds], window: TimeRange) -> Option<(ClockLine, u64)> {
    let first = bounds.first()?;
    // Small numbers are exact in floating point.
    let (at_ns, base_ns) = (window.start_ns, first.upper_ns);
    let point = |time_ns: u64, offset_ns: i64| {
        let time = difference(time_ns, at_ns) as f64;
        (time, (offset_ns - base_ns) as f64)
    };
    let upper = bounds.iter().map(|bound| point(bound.sent_ns, bound.upper_ns));
    let lower = bounds.iter().map(|bound| point(bound.done_ns, bound.lower_ns));
    let possible = Possible {
        upper: lower_hull(upper.collect()),
        // The upper hull is the lower hull upside down.
        lower: lower_hull(lower.map(|(time, offset)| (time, -offset)).collect()),
    };
    let drifts = possible.drifts()?;
    let end = window.length_ns() as f64;
    let [start, end] = [0.0, end].map(|time| (time, possible.offsets(time, drifts)));
    let middle = |(low, high): (f64, f64)| f64::midpoint(low, high);
    let half = |(low, high): (f64, f64)| (high - low) / 2.0;
    let drift = match end.0 > 0.0 {
        true => (middle(end.1) - middle(start.1)) / end.0,
        false => 0.0,
    };
    let line = ClockLine {
        at_ns,
        offset_ns: base_ns + middle(start.1).round() as i64,
        drift,
    };
    Some((line, half(start.1).max(half(end.1)).ceil() as u64))
}

/// Lines that no bound contradicts.
struct Possible {
    /// Corners of the upper bounds.
    upper: Vec<BoundPoint>,
    /// Corners of the lower bounds, upside down.
    lower: Vec<BoundPoint>,
}

impl Possible {
    /// Returns the highest offset at time 0 of a line with this drift.
    fn highest(&self, drift: f64) -> f64 {
        lowest(&self.upper, drift)
    }

    /// Returns the lowest offset at time 0 of a line with this drift.
    fn lowest(&self, drift: f64) -> f64 {
        -lowest(&self.lower, -drift)
    }

    /// Returns the smallest and the largest possible drift.
    fn drifts(&self) -> Option<(f64, f64)> {
        let width = |drift: f64| self.highest(drift) - self.lowest(drift);
        let widest = argmax(width, (-FASTEST, FASTEST));
        if width(widest) < 0.0 {
            return None;
        }
        let edge = |mut outside: f64| {
            let mut inside = widest;
            if width(outside) >= 0.0 {
                return outside;
            }
            for _ in 0..STEPS {
                let middle = f64::midpoint(inside, outside);
                *if width(middle) >= 0.0 {
                    &mut inside
                } else {
                    &mut outside
                } = middle;
            }
            inside
        };
        Some((edge(-FASTEST), edge(FASTEST)))
    }

    /// Returns the smallest and the largest possible offset at a time.
    fn offsets(&self, time: f64, drifts: (f64, f64)) -> (f64, f64) {
        let high = |drift: f64| self.highest(drift) + drift * time;
        let low = |drift: f64| -(self.lowest(drift) + drift * time);
        (-low(argmax(low, drifts)), high(argmax(high, drifts)))
    }
}

/// Returns the lowest offset at time 0 of lines with this drift through `points`.
fn lowest(points: &[BoundPoint], drift: f64) -> f64 {
    let offsets = points.iter().map(|(time, offset)| offset - drift * time);
    offsets.fold(f64::INFINITY, f64::min)
}

/// Returns where a concave function is highest.
fn argmax(function: impl Fn(f64) -> f64, (mut low, mut high): (f64, f64)) -> f64 {
    for _ in 0..STEPS {
        let third = (high - low) / 3.0;
        let (left, right) = (low + third, high - third);
        if function(left) < function(right) {
            low = left;
        } else {
            high = right;
        }
    }
    f64::midpoint(low, high)
}

/// Returns the lower convex hull: the corners on which a line from below can rest (Andrew's monotone chain).
fn lower_hull(mut points: Vec<BoundPoint>) -> Vec<BoundPoint> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut hull: Vec<BoundPoint> = Vec::new();
    for point in points {
        while let [.., before, last] = hull[..] {
            let turn =
                (last.0 - before.0) * (point.1 - before.1) - (last.1 - before.1) * (point.0 - before.0);
            if turn > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    hull
}
