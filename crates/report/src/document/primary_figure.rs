//! Primary figures: those that a comparison is about, declared before anything is measured.

use crate::document::cpu::Work;

/// Figure that comparisons of runs and studies test for itself. Both take its value from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimaryFigure {
    /// Requests that were done in a second.
    Requests,
    /// Commits in a second of a load that is not logtrace's.
    Commits,
    /// Mean response time of a request in nanoseconds.
    ResponseMean,
    /// 99th percentile of the response times in nanoseconds.
    ResponseP99,
    /// Mean duration of a commit in nanoseconds.
    CommitMean,
    /// 99th percentile of the durations of commits in nanoseconds.
    CommitP99,
    /// CPU nanoseconds of the server by commit or request.
    ServerCpu(Work),
}
