//! Number of connections of a load.

use std::num::NonZeroUsize;
use std::time::Duration;

use logtrace_driver::Pace;

/// Number of connections, as the user gives it or by the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connections {
    /// Number that the user gives.
    Fixed(NonZeroUsize),
    /// Number by the rate of an open loop: a server that stalls for 100 ms still gets every request when it is due, so
    /// that the stall is in the service time and in the commits, and not in a queue of the client.
    ByRate,
}

/// Number of connections of a closed loop, and of the measurement of a capacity.
const CLOSED: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// Stall during which all requests find a free connection.
const STALL: Duration = Duration::from_millis(100);

/// Limits of a number by the rate. More connections than the upper limit would measure how a server handles them.
const LEAST: usize = 16;
const MOST: usize = 512;

/// Share of a running server's `max_connections` that a number by the rate may use: its other clients need the rest.
const SHARE_OF_RUNNING: f64 = 0.5;

impl Connections {
    /// Returns the number for a closed loop.
    pub(crate) fn closed(self) -> NonZeroUsize {
        match self {
            Self::Fixed(number) => number,
            Self::ByRate => CLOSED,
        }
    }

    /// Returns the largest number that a run may use.
    pub(crate) fn most(self, is_open_loop: bool) -> usize {
        match self {
            Self::Fixed(number) => number.get(),
            Self::ByRate if is_open_loop => MOST,
            Self::ByRate => CLOSED.get(),
        }
    }

    /// Returns the number for a pace in a window. `max_connections` is that of a running server.
    pub(crate) fn of_pace(
        self,
        pace: &Pace,
        window: Duration,
        max_connections: Option<usize>,
    ) -> NonZeroUsize {
        let (Self::ByRate, Some(rate_per_s)) = (self, pace.highest_per_s(window)) else {
            return self.closed();
        };
        let most = max_connections.map_or(MOST, |max| {
            let share = (max as f64 * SHARE_OF_RUNNING) as usize;
            share.clamp(1, MOST)
        });
        let wanted = (rate_per_s * STALL.as_secs_f64()).ceil() as usize;
        NonZeroUsize::new(wanted.max(LEAST).min(most)).unwrap_or(CLOSED)
    }
}

#[cfg(test)]
mod tests {
    use logtrace_driver::{Arrivals, RateArg};

    use super::*;

    const WINDOW: Duration = Duration::from_secs(10);

    fn number(rate: &str, max_connections: Option<usize>) -> usize {
        let rate: RateArg = rate.parse().unwrap();
        let pace = rate.pace(Arrivals::Poisson, WINDOW, 0.0).unwrap();
        Connections::ByRate.of_pace(&pace, WINDOW, max_connections).get()
    }

    #[test]
    fn a_stall_of_a_tenth_of_a_second_finds_a_connection_for_each_request() {
        assert_eq!(number("2000/s", None), 200);
        assert_eq!(number("100..3000/s:100", None), 300, "at its highest rate");
        assert_eq!(number("20/s", None), LEAST);
        assert_eq!(number("100000/s", None), MOST);
    }

    #[test]
    fn other_clients_of_a_running_server_keep_half_of_its_connections() {
        assert_eq!(number("2000/s", Some(151)), 75);
        assert_eq!(number("20/s", Some(1)), 1);
    }

    #[test]
    fn a_given_number_stays() {
        let fixed = Connections::Fixed(NonZeroUsize::MIN);
        let pace = Pace::Open {
            rate_per_s: 5_000.0,
            arrivals: Arrivals::Uniform,
        };
        assert_eq!(fixed.of_pace(&pace, WINDOW, None), NonZeroUsize::MIN);
        assert_eq!((fixed.closed().get(), fixed.most(true)), (1, 1));
        assert_eq!(Connections::ByRate.of_pace(&Pace::Closed, WINDOW, None), CLOSED);
    }
}
