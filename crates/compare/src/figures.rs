//! Throughput, times and CPU time of a run.

use logtrace_attribution::breakdown::Distribution;
use logtrace_report::document::{Cpu, Driver, Work};
use logtrace_statistics::{StandardError, series_error};
use serde::Serialize;
use strum::Display;

use crate::batches::Batches;
use crate::durations::Durations;
use crate::estimate::{percentile_error, ratio_error};
use crate::run::Run;

/// Figure of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
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
const RESPONSE: [Figure; 4] = [
    Figure::ResponseP50,
    Figure::ResponseP90,
    Figure::ResponseP99,
    Figure::ResponseP999,
];
const COMMIT: [Figure; 4] = [
    Figure::CommitP50,
    Figure::CommitP90,
    Figure::CommitP99,
    Figure::CommitP999,
];

impl Figure {
    /// Returns whether it is a time in nanoseconds, and not a number a second.
    pub fn is_time(self) -> bool {
        !matches!(self, Self::Requests | Self::Commits)
    }
}

/// Figure of a run with its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) figure: Figure,
    /// Value: nanoseconds, or a number a second.
    pub(crate) value: f64,
    /// Standard error of the value's logarithm that the time within the run leaves, where it is known.
    pub(crate) error: Option<StandardError>,
}

/// Returns the figures of a run that are above 0. CPU time is divided by this work.
pub(crate) fn figures(run: &Run, batches: &Batches, work: Work) -> Vec<Measured> {
    let mut figures = Vec::new();
    match &run.document.driver {
        Some(driver) => figures.extend(requests(driver, &batches.responses)),
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

fn requests(driver: &Driver, responses: &Durations) -> Vec<Measured> {
    let seconds = driver.per_tenth.as_chunks::<10>().0.iter();
    let seconds: Vec<f64> = seconds.map(|tenths| tenths.iter().sum::<u64>() as f64).collect();
    let throughput = Measured {
        figure: Figure::Requests,
        value: driver.achieved_per_s,
        error: series_error(&seconds).map(|error| relative(error, driver.achieved_per_s)),
    };
    let mean_ns = driver.response.mean as f64;
    let mean = Measured {
        figure: Figure::ResponseMean,
        value: mean_ns,
        error: ratio_error(&responses.sums_ns(), &responses.counts).map(|error| relative(error, mean_ns)),
    };
    [throughput, mean]
        .into_iter()
        .chain(measured(RESPONSE, &driver.response, responses))
        .collect()
}

/// Returns the percentiles of durations as figures.
fn measured(
    figures: [Figure; 4],
    times: &Distribution,
    durations: &Durations,
) -> impl Iterator<Item = Measured> {
    let percentiles = [times.p50, times.p90, times.p99, times.p999];
    let percentiles = figures.into_iter().zip(percentiles).zip(SHARES);
    percentiles.map(|((figure, ns), share)| Measured {
        figure,
        value: ns as f64,
        error: percentile_error(durations, share),
    })
}

fn commits_a_second(run: &Run, batches: &Batches) -> Option<Measured> {
    let seconds = run.document.trace.as_ref()?.duration_s;
    let value = run.document.commits.as_ref()?.count as f64 / seconds;
    // The last batch is not whole.
    let whole = batches
        .commits
        .counts
        .split_last()
        .map_or(&[][..], |(_, whole)| whole);
    let length_s = batches.length_ns as f64 / 1e9;
    let rates: Vec<f64> = whole.iter().map(|commits| commits / length_s).collect();
    Some(Measured {
        figure: Figure::Commits,
        value,
        error: series_error(&rates).map(|error| relative(error, value)),
    })
}

fn commits(run: &Run, batches: &Batches) -> Vec<Measured> {
    let (Some(commits), Some(mean_ns)) = (&run.document.commits, run.commit_mean_ns()) else {
        return Vec::new();
    };
    let mean = Measured {
        figure: Figure::CommitMean,
        value: mean_ns,
        error: ratio_error(&batches.total_ns(), &batches.commits.counts)
            .map(|error| relative(error, mean_ns)),
    };
    let percentiles = measured(COMMIT, &commits.distribution, &batches.commits);
    [mean].into_iter().chain(percentiles).collect()
}

/// Returns the CPU time of the server and of the machine by commit or request.
fn cpu_time(run: &Run, cpu: &Cpu, batches: &Batches, work: Work) -> Vec<Measured> {
    let (counts, figures) = match work {
        Work::Commit => (
            &batches.commits.counts,
            [Figure::ServerCpuOfCommit, Figure::MachineCpuOfCommit],
        ),
        Work::Request => (
            &batches.responses.counts,
            [Figure::ServerCpuOfRequest, Figure::MachineCpuOfRequest],
        ),
    };
    let Some(count) = run.document.work(work) else {
        return Vec::new();
    };
    let of_work = |figure, total: u64, sums: &[f64]| {
        let value = total as f64 / count as f64;
        // Commits and requests may end after the window.
        let mut counts = counts.clone();
        counts.resize(sums.len(), 0.0);
        Measured {
            figure,
            value,
            error: ratio_error(sums, &counts).map(|error| relative(error, value)),
        }
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
