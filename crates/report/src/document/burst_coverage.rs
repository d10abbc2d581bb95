//! Part of the requests that bursts show.

use super::{Document, Driver, Gaps, Response};

/// Share of the requests' time below which bursts show only the short requests.
const ENOUGH: f64 = 0.5;

impl Document {
    /// Returns the share of the requests' time that bursts show, if it is less than half. The other requests were measured
    /// and are not explained: they take about as long as a burst or longer, or the server's thread never waited for its
    /// client within the burst, so that their start in the server is unknown.
    pub fn seen_hardly(&self) -> Option<f64> {
        let (gaps, driver) = (self.gaps()?, self.driver.as_ref()?);
        let seen = seen(gaps, &self.response.unwrap_or_default(), driver);
        (seen < ENOUGH).then_some(seen)
    }
}

/// Returns the time of the requests that are within a burst from when they are due until they are done, as a share of the
/// response time of all requests in as much time as was traced. Not a number if there were no requests.
fn seen(gaps: Gaps, response: &Response, driver: &Driver) -> f64 {
    let all = driver.response.mean as f64 * driver.done as f64 * gaps.traced_share();
    response.total as f64 / all
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_attribution::breakdown::Distribution;

    /// Two fifths of the time.
    const GAPS: Gaps = Gaps {
        count: 1,
        traced: 4_000_000_000,
        untraced: 6_000_000_000,
    };

    fn driver(done: u64) -> Driver {
        Driver {
            done,
            response: Distribution {
                mean: 1_000_000_000,
                ..Distribution::default()
            },
            ..Driver::default()
        }
    }

    fn shown(total: u64) -> Response {
        Response {
            total,
            ..Response::default()
        }
    }

    #[test]
    fn requests_are_held_against_those_of_the_traced_time() {
        let seen = |seconds: u64| seen(GAPS, &shown(seconds * 1_000_000_000), &driver(10));
        assert_eq!((seen(0), seen(1), seen(4)), (0.0, 0.25, 1.0));
    }

    #[test]
    fn of_no_requests_none_is_missed() {
        assert!(seen(GAPS, &shown(0), &driver(0)).is_nan());
    }
}
