//! Parts of the lag of requests: the pacer's, and the wait for a free connection.

use hdrhistogram::Histogram;
use logtrace_events::Request;

use crate::util::new_histogram;

/// Lag above which a request counts as late, in nanoseconds.
pub const LATE_NS: u64 = 1_000_000;

/// Parts of the lag of the requests done. For each request, both parts add up to its lag.
#[derive(Clone, Debug)]
pub struct LagParts {
    /// Time by which the pacer sent requests late although a connection was free, in ns.
    pub pacer: Histogram<u64>,
    /// Time in which no connection was free, in ns.
    pub connection: Histogram<u64>,
    /// Number of requests that the pacer sent more than [`LATE_NS`] late, including failed ones.
    pub late_by_pacer: u64,
}

impl Default for LagParts {
    fn default() -> Self {
        Self {
            pacer: new_histogram(),
            connection: new_histogram(),
            late_by_pacer: 0,
        }
    }
}

impl LagParts {
    /// Counts a finished request as late if the pacer made it so.
    pub(crate) fn count_late(&mut self, request: &Request) {
        self.late_by_pacer += u64::from(request.pacer_lag_ns() > LATE_NS);
    }

    /// Adds a request that was done.
    pub(crate) fn record(&mut self, request: &Request) {
        self.pacer += request.pacer_lag_ns();
        self.connection += request.connection_wait_ns;
    }

    /// Adds the lag of other requests.
    pub(crate) fn add(&mut self, other: &Self) {
        self.pacer += &other.pacer;
        self.connection += &other.connection;
        self.late_by_pacer += other.late_by_pacer;
    }
}
