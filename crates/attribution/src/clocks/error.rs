//! Reasons why clocks do not match.

use thiserror::Error;

/// Reason why clocks do not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ClockError {
    /// The client did not learn which threads of the server serve its connections.
    #[error(
        "the run does not know which threads of the server served its connections: the server has a thread pool, or does not show its threads (MySQL needs performance_schema=ON)"
    )]
    NoThreads,
    /// The trace has no record of the threads.
    #[error(
        "the trace saw none of the {0} threads that served the run: it is a trace of another server, or of another time"
    )]
    OtherThreads(usize),
    /// The threads were not woken when requests were sent.
    #[error(
        "the threads of the trace do not follow the requests of the run: of {sample} requests, at most {agreeing} agree on one difference of the clocks. Were trace and run at the same time, and do the dates of both machines differ by less than a minute?"
    )]
    NoAgreement {
        /// Number of requests that were compared.
        sample: usize,
        /// Largest number of requests with the same difference.
        agreeing: usize,
    },
    /// Most requests are not in the trace.
    #[error(
        "only {matched} of {requests} requests are in the trace: start the trace before the run, and end it after the run"
    )]
    TooFew {
        /// Number of requests that were looked for.
        requests: u64,
        /// Number of requests that were found.
        matched: u64,
    },
    /// The bounds contradict each other.
    #[error(
        "{contradicting} of {requests} requests contradict each other about the difference of the clocks: one of the clocks was set or did not run evenly during the run"
    )]
    Contradiction {
        /// Number of requests that were found.
        requests: u64,
        /// Number of requests that contradict the others.
        contradicting: u64,
    },
}
