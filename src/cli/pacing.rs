//! The pacing of a run and the length of its window, from its arguments.

use std::path::Path;
use std::time::Duration;

use humantime::format_duration;
use logtrace_common::{InputFile, InputKind};
use logtrace_driver::{ArrivalTimes, Pace, Schedule};
use logtrace_measure::run::Pacing;
use logtrace_measure::run_dir::{ARRIVALS, RunDir};

use super::check::duration;
use super::run::RunArgs;
use crate::exit::UsageError;

/// Window of a run that has arrivals of unlimited length.
const DEFAULT_WINDOW: Duration = Duration::from_secs(30);

/// Returns the pacing and the length of the window. Reads the files that options name.
pub(crate) fn pacing(arguments: &RunArgs) -> anyhow::Result<(Pacing, Duration)> {
    let window = arguments.duration.unwrap_or(DEFAULT_WINDOW);
    let (rate, arrivals) = (arguments.rate, arguments.arrivals);
    let (pacing, window) = if arguments.max || arguments.workload.keying_times {
        (Pacing::Known(Pace::Closed), window)
    } else if let Some(file) = &arguments.schedule {
        scheduled(arguments, file)?
    } else if let Some(path) = &arguments.replay {
        replayed(arguments, path)?
    } else if rate.is_share() {
        (Pacing::Share(rate, arrivals), window)
    } else {
        (Pacing::Known(rate.pace(arrivals, window, 0.0)?), window)
    };
    match pacing.offered_per_s(window, None) {
        Some(rate) if rate <= 0.0 => Err(UsageError(format!(
            "no request is due in the first {}: give a longer --duration, or a rate above 0",
            format_duration(window)
        ))
        .into()),
        _ => Ok((pacing, window)),
    }
}

fn scheduled(arguments: &RunArgs, file: &Path) -> anyhow::Result<(Pacing, Duration)> {
    let name = file.display().to_string();
    let schedule = Schedule::read(
        &name,
        &read_file("--schedule", file, InputKind::Schedule)?,
        duration,
    );
    let schedule = schedule.map_err(|error| UsageError(format!("--schedule {error}")))?;
    let window = window_within(arguments.duration, schedule.length(), &name)?;
    let pace = Pace::Scheduled {
        schedule,
        arrivals: arguments.arrivals,
    };
    Ok((Pacing::Known(pace), window))
}

fn replayed(arguments: &RunArgs, path: &Path) -> anyhow::Result<(Pacing, Duration)> {
    let name = path.display().to_string();
    let text = match path.is_dir() {
        true => read_arrivals(path)?,
        false => read_file("--replay", path, InputKind::Arrivals)?,
    };
    let times = ArrivalTimes::read(&name, &text);
    let times = times.map_err(|error| UsageError(format!("--replay {error}")))?;
    let window = window_within(arguments.duration, times.length(), &name)?;
    Ok((Pacing::Known(Pace::Replayed(times)), window))
}

/// Reads the arrivals of a run directory.
fn read_arrivals(path: &Path) -> Result<String, UsageError> {
    let refused = |error: anyhow::Error| UsageError(format!("--replay {error:#}"));
    let file = RunDir::open(path)
        .and_then(|dir| dir.input_if_there(ARRIVALS, InputKind::Arrivals))
        .map_err(refused)?;
    let file = file.ok_or_else(|| {
        UsageError(format!(
            "--replay {}: the directory has no arrivals.txt, because closed loops (--max) and traces have no arrivals. Name \
             a run that had a rate",
            path.display()
        ))
    })?;
    let unreadable = |error| {
        UsageError(format!(
            "--replay: cannot read {}: {error}",
            path.join(ARRIVALS).display()
        ))
    };
    file.read_text().map_err(unreadable)
}

/// Returns the `wanted` window, or the whole `length` of the file `name`.
fn window_within(wanted: Option<Duration>, length: Duration, name: &str) -> Result<Duration, UsageError> {
    match wanted {
        Some(wanted) if wanted > length => Err(UsageError(format!(
            "--duration {} is longer than {name}, which ends after {}: give at most that",
            format_duration(wanted),
            format_duration(length)
        ))),
        Some(wanted) => Ok(wanted),
        None => Ok(length),
    }
}

/// Reads a file that an option names.
pub(crate) fn read_file(option: &str, file: &Path, kind: InputKind) -> Result<String, UsageError> {
    InputFile::open(file, kind)
        .and_then(InputFile::read_text)
        .map_err(|error| UsageError(format!("{option}: cannot read {}: {error}", file.display())))
}
