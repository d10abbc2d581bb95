//! When the requests of a run start, from what was typed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::run_dir::RunDir;
use humantime::format_duration;
use logtrace_driver::{ArrivalTimes, Arrivals, Offer, Pace, Schedule};

use crate::cli::{RunArgs, duration};
use crate::exit::UsageError;

/// The window of a run whose arrivals have no length of their own.
const DEFAULT_WINDOW: Duration = Duration::from_secs(30);

/// When requests start; the rate may still have to be found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pacing {
    /// All is known.
    Known(Pace),
    /// Shares of a capacity that is to be measured.
    Share(Offer, Arrivals),
}

impl Pacing {
    /// Reads files that are named, and tells how long the window is.
    pub(crate) fn checked(arguments: &RunArgs) -> anyhow::Result<(Self, Duration)> {
        let (pacing, window) = match arguments {
            RunArgs { max, workload, .. } if *max || workload.keying_times => {
                (Self::Known(Pace::Closed), unbounded(arguments))
            }
            RunArgs {
                schedule: Some(file), ..
            } => scheduled(arguments, file)?,
            RunArgs {
                replay: Some(path), ..
            } => replayed(arguments, path)?,
            RunArgs { rate, arrivals, .. } if rate.is_share() => {
                (Self::Share(*rate, *arrivals), unbounded(arguments))
            }
            RunArgs { rate, arrivals, .. } => {
                let window = unbounded(arguments);
                (Self::Known(rate.pace(*arrivals, window, 0.0)?), window)
            }
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

    /// The mean rate of the window, as far as it is known; a closed loop has none.
    pub(crate) fn offered_per_s(&self, window: Duration, capacity_per_s: Option<f64>) -> Option<f64> {
        match self {
            Self::Known(pace) => pace.offered_per_s(window),
            Self::Share(offer, arrivals) => {
                let pace = offer.pace(*arrivals, window, capacity_per_s?).ok()?;
                pace.offered_per_s(window)
            }
        }
    }

    /// How requests fall due, in a word.
    pub(crate) fn arrivals(&self) -> &'static str {
        match self {
            Self::Share(_, arrivals)
            | Self::Known(Pace::Open { arrivals, .. } | Pace::Scheduled { arrivals, .. }) => arrivals.name(),
            Self::Known(Pace::Replayed(_)) => "replay",
            Self::Known(Pace::Closed) => "closed",
        }
    }

    /// What the rate follows where it changes.
    pub(crate) fn schedule(&self) -> Option<String> {
        match self {
            Self::Known(Pace::Scheduled { schedule, .. }) => Some(schedule.name().to_owned()),
            Self::Known(Pace::Replayed(times)) => Some(times.name().to_owned()),
            Self::Share(Offer::Range(range), _) => Some(range.to_string()),
            Self::Share(Offer::Constant(_), _) | Self::Known(Pace::Open { .. } | Pace::Closed) => None,
        }
    }
}

/// The window where the arrivals do not limit it.
fn unbounded(arguments: &RunArgs) -> Duration {
    arguments.duration.unwrap_or(DEFAULT_WINDOW)
}

fn scheduled(arguments: &RunArgs, file: &Path) -> anyhow::Result<(Pacing, Duration)> {
    let name = file.display().to_string();
    let schedule = Schedule::read(&name, &contents("--schedule", file)?, duration);
    let schedule = schedule.map_err(|error| UsageError(format!("--schedule {error}")))?;
    let window = within(arguments.duration, schedule.length(), &name)?;
    let pace = Pace::Scheduled {
        schedule,
        arrivals: arguments.arrivals,
    };
    Ok((Pacing::Known(pace), window))
}

fn replayed(arguments: &RunArgs, path: &Path) -> anyhow::Result<(Pacing, Duration)> {
    let name = path.display().to_string();
    let file = match path.is_dir() {
        true => RunDir::open(path)
            .map_err(|error| UsageError(format!("--replay {error}")))?
            .arrivals_txt(),
        false => path.to_owned(),
    };
    if path.is_dir() && !file.exists() {
        return Err(UsageError(format!(
            "--replay {name}: it has no arrivals.txt. Closed loops (--max) and traces have no arrivals: name a run at \
             a rate"
        ))
        .into());
    }
    let times = ArrivalTimes::read(&name, &contents("--replay", &file)?);
    let times = times.map_err(|error| UsageError(format!("--replay {error}")))?;
    let window = within(arguments.duration, times.length(), &name)?;
    Ok((Pacing::Known(Pace::Replayed(times)), window))
}

/// The whole length, or what was asked for of it.
fn within(asked: Option<Duration>, length: Duration, name: &str) -> Result<Duration, UsageError> {
    match asked {
        Some(asked) if asked > length => Err(UsageError(format!(
            "--duration {} is longer than {name}, which ends after {}: give at most that",
            format_duration(asked),
            format_duration(length)
        ))),
        Some(asked) => Ok(asked),
        None => Ok(length),
    }
}

/// The text of a file that an option names.
pub(super) fn contents(option: &str, file: &Path) -> Result<String, UsageError> {
    fs::read_to_string(file)
        .map_err(|error| UsageError(format!("{option}: cannot read {}: {error}", file.display())))
}
