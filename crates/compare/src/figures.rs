//! Throughput, times and CPU time of a run.

use logtrace_attribution::breakdown::Distribution;
use logtrace_report::document::{Cpu, Driver, PrimaryFigure, Work};
use logtrace_statistics::{StandardError, error_of_mean, mean, series_error};
use serde::Serialize;
use strum::Display;

use crate::batches::Batches;
use crate::durations::BatchDurations;
use crate::estimate::{percentile_error, ratio_error};
use crate::run::Run;

/// Figure of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
pub enum RunFigure {
    /// Requests that were done in a second.
    #[strum(serialize = "requests/s")]
    Requests,
    /// Commits in a second.
    #[strum(serialize = "commits/s")]
    Commits,
    /// Mean response time of a request.
    #[strum(serialize = "response mean")]
    ResponseMean,
    /// Median of the response times.
    #[strum(serialize = "response p50")]
    ResponseP50,
    /// 90th percentile of the response times.
    #[strum(serialize = "response p90")]
    ResponseP90,
    /// 99th percentile of the response times.
    #[strum(serialize = "response p99")]
    ResponseP99,
    /// 99.9th percentile of the response times.
    #[strum(serialize = "response p99.9")]
    ResponseP999,
    /// Mean duration of a commit.
    #[strum(serialize = "commit mean")]
    CommitMean,
    /// Median duration of a commit.
    #[strum(serialize = "commit p50")]
    CommitP50,
    /// 90th percentile of the durations of commits.
    #[strum(serialize = "commit p90")]
    CommitP90,
    /// 99th percentile of the durations of commits.
    #[strum(serialize = "commit p99")]
    CommitP99,
    /// 99.9th percentile of the durations of commits.
    #[strum(serialize = "commit p99.9")]
    CommitP999,
    /// CPU time of the server a commit.
    #[strum(serialize = "server CPU a commit")]
    ServerCpuOfCommit,
    /// CPU time of the server a request.
    #[strum(serialize = "server CPU a request")]
    ServerCpuOfRequest,
    /// CPU time of the whole machine a commit.
    #[strum(serialize = "machine CPU a commit")]
    MachineCpuOfCommit,
    /// CPU time of the whole machine a request.
    #[strum(serialize = "machine CPU a request")]
    MachineCpuOfRequest,
}

/// Percentiles by the share of values below them.
const SHARES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];
const RESPONSE: [RunFigure; 4] = [
    RunFigure::ResponseP50,
    RunFigure::ResponseP90,
    RunFigure::ResponseP99,
    RunFigure::ResponseP999,
];
const COMMIT: [RunFigure; 4] = [
    RunFigure::CommitP50,
    RunFigure::CommitP90,
    RunFigure::CommitP99,
    RunFigure::CommitP999,
];

impl RunFigure {
    /// Returns what it is among the primary figures, which are tested each for itself; `None` for the others.
    pub fn primary(self) -> Option<PrimaryFigure> {
        match self {
            Self::Requests => Some(PrimaryFigure::Requests),
            Self::Commits => Some(PrimaryFigure::Commits),
            Self::ResponseMean => Some(PrimaryFigure::ResponseMean),
            Self::ResponseP99 => Some(PrimaryFigure::ResponseP99),
            Self::CommitMean => Some(PrimaryFigure::CommitMean),
            Self::CommitP99 => Some(PrimaryFigure::CommitP99),
            Self::ServerCpuOfCommit => Some(PrimaryFigure::ServerCpu(Work::Commit)),
            Self::ServerCpuOfRequest => Some(PrimaryFigure::ServerCpu(Work::Request)),
            Self::ResponseP50 | Self::ResponseP90 | Self::ResponseP999 => None,
            Self::CommitP50 | Self::CommitP90 | Self::CommitP999 => None,
            Self::MachineCpuOfCommit | Self::MachineCpuOfRequest => None,
        }
    }

    /// Returns whether it is a time in nanoseconds, and not a number a second.
    pub fn is_time(self) -> bool {
        !matches!(self, Self::Requests | Self::Commits)
    }
}

/// Figure of a run with its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) figure: RunFigure,
    /// Value: nanoseconds, or a number a second.
    pub(crate) value: f64,
    /// Standard error of the value's logarithm that the time within the run leaves, where it is known.
    pub(crate) error: Option<StandardError>,
    /// The same, as a lower limit of the error between repeats. Studies know it of throughput alone, so of the primary figures
    /// only that one has it: both commands say the same of the same runs.
    pub(crate) least_error: Option<StandardError>,
}

impl Measured {
    /// Creates a figure with the standard error of its value within the run.
    fn new(figure: RunFigure, value: f64, error: Option<StandardError>) -> Self {
        let error = error.map(|error| relative(error, value));
        Self::with_relative(figure, value, error)
    }

    /// Creates a figure with the standard error of its value's logarithm within the run.
    fn with_relative(figure: RunFigure, value: f64, error: Option<StandardError>) -> Self {
        Self {
            figure,
            value,
            error,
            least_error: error.filter(|_| figure.primary().is_none()),
        }
    }
}

/// Returns the figures of a run that are above 0. CPU time is divided by this work.
pub(crate) fn figures(run: &Run, batches: &Batches, work: Work) -> Vec<Measured> {
    let mut figures = Vec::new();
    match &run.document.driver {
        Some(driver) => figures.extend(requests(run, driver, &batches.responses)),
        None => figures.extend(commits_a_second(run, batches)),
    }
    figures.extend(commits(run, batches));
    figures.extend(
        run.document
            .cpu
            .iter()
            .flat_map(|cpu| cpu_time(run, cpu, batches, work)),
    );
    figures.retain(|measured| measured.value > 0.0);
    figures
}

fn requests(run: &Run, driver: &Driver, responses: &BatchDurations) -> Vec<Measured> {
    let seconds = driver.per_tenth.as_chunks::<10>().0.iter();
    let seconds: Vec<f64> = seconds.map(|tenths| tenths.iter().sum::<u64>() as f64).collect();
    let throughput = Measured::new(RunFigure::Requests, driver.achieved_per_s, series_error(&seconds));
    let throughput = Measured {
        least_error: error_of_tenths(run),
        ..throughput
    };
    let mean = run.document.primary(PrimaryFigure::ResponseMean);
    let mean_error = ratio_error(&responses.sums_ns(), &responses.counts);
    let mean = mean.map(|mean_ns| Measured::new(RunFigure::ResponseMean, mean_ns, mean_error));
    [throughput]
        .into_iter()
        .chain(mean)
        .chain(measured(RESPONSE, &driver.response, responses))
        .collect()
}

/// Returns the error of the logarithm of the throughput as studies have it: from the tenths of a second of the window.
fn error_of_tenths(run: &Run) -> Option<StandardError> {
    let tenths: Vec<f64> = run
        .document
        .done_by_tenth()
        .iter()
        .map(|&done| done as f64)
        .collect();
    let error = error_of_mean(&tenths)? / mean(&tenths).filter(|mean| *mean > 0.0)?;
    Some(StandardError {
        error,
        freedom: tenths.len() as f64,
    })
}

/// Returns the percentiles of durations as figures.
fn measured(
    figures: [RunFigure; 4],
    times: &Distribution,
    durations: &BatchDurations,
) -> impl Iterator<Item = Measured> {
    let percentiles = [times.p50, times.p90, times.p99, times.p999];
    let percentiles = figures.into_iter().zip(percentiles).zip(SHARES);
    percentiles.map(|((figure, ns), share)| {
        Measured::with_relative(figure, ns as f64, percentile_error(durations, share))
    })
}

fn commits_a_second(run: &Run, batches: &Batches) -> Option<Measured> {
    let value = run.document.primary(PrimaryFigure::Commits)?;
    // The last batch is not whole.
    let whole = batches
        .commits
        .counts
        .split_last()
        .map_or(&[][..], |(_, whole)| whole);
    let length_s = batches.length_ns as f64 / 1e9;
    let rates: Vec<f64> = whole.iter().map(|commits| commits / length_s).collect();
    Some(Measured::new(RunFigure::Commits, value, series_error(&rates)))
}

fn commits(run: &Run, batches: &Batches) -> Vec<Measured> {
    let mean = run.document.primary(PrimaryFigure::CommitMean);
    let (Some(commits), Some(mean_ns)) = (&run.document.commits, mean) else {
        return Vec::new();
    };
    let error = ratio_error(&batches.total_ns(), &batches.commits.counts);
    let mean = Measured::new(RunFigure::CommitMean, mean_ns, error);
    let percentiles = measured(COMMIT, &commits.distribution, &batches.commits);
    [mean].into_iter().chain(percentiles).collect()
}

/// Returns the CPU time of the server and of the machine by commit or request.
fn cpu_time(run: &Run, cpu: &Cpu, batches: &Batches, work: Work) -> Vec<Measured> {
    let (counts, figures) = match work {
        Work::Commit => (
            &batches.commits.counts,
            [RunFigure::ServerCpuOfCommit, RunFigure::MachineCpuOfCommit],
        ),
        Work::Request => (
            &batches.responses.counts,
            [RunFigure::ServerCpuOfRequest, RunFigure::MachineCpuOfRequest],
        ),
    };
    let Some(count) = run.document.work(work) else {
        return Vec::new();
    };
    let of_work = |figure, total: u64, sums: &[f64]| {
        // Commits and requests may end after the window.
        let mut counts = counts.clone();
        counts.resize(sums.len(), 0.0);
        Measured::new(figure, total as f64 / count as f64, ratio_error(sums, &counts))
    };
    let [server_figure, machine_figure] = figures;
    let server = of_work(server_figure, cpu.server.total, &batches.server_cpu);
    let machine = cpu.machine.as_ref();
    let machine = machine.map(|of| of_work(machine_figure, of.total, &batches.machine_cpu));
    [server].into_iter().chain(machine).collect()
}

/// Returns the error of a value's logarithm.
fn relative(error: StandardError, value: f64) -> StandardError {
    StandardError {
        error: error.error / value,
        ..error
    }
}
