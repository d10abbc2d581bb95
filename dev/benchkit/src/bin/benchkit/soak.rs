//! Soak: whether a long trace grows.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use logtrace_benchkit::child::Child;
use logtrace_benchkit::churn::Churn;
use logtrace_benchkit::footprint::{Footprint, NAMES};
use logtrace_benchkit::slope::Slope;
use logtrace_benchkit::{CONNECTIONS, SharedServer, SteadyLoad};
use logtrace_driver::{Arrivals, Pace};
use logtrace_server::ServerChoice;

/// Growth in an hour that is small, in the order of the numbers of a footprint. The memory has room for what a report has of
/// each second.
const BOUNDS: [f64; 5] = [(8 << 20) as f64, 1.0, 1.0, 0.5, 65_536.0];

/// Statement of connections that come and go.
const UPDATE: &str = "UPDATE logtrace_overhead.sbtest1 SET k = k + 1 WHERE id = 1";

/// Samples of the measured time.
const SAMPLES: u32 = 400;

/// Time before the first sample that counts. What is kept of each thread of the server fills until then: up to 1,024 waits
/// (`MIN_LENGTH` in crates/attribution/src/timeline/history.rs), and threads of InnoDB wait once a second.
const SETTLING: Duration = Duration::from_secs(20 * 60);

/// Memory, descriptors, threads and BPF maps of `logtrace trace` on a server under load, while connections come and go:
/// fails if one of them grows.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Time in which the growth is measured, after 20 minutes in which the trace fills its tables.
    #[arg(long, value_name = "T", default_value = "2h", value_parser = humantime::parse_duration)]
    duration: Duration,

    /// Requests a second on connections that stay.
    #[arg(long, value_name = "N", default_value_t = 2_000.0)]
    rate: f64,

    /// Connections a second that come and go, with a new thread of the server each.
    #[arg(long, value_name = "N", default_value = "50")]
    churn: NonZeroU32,

    /// mysql, mariadb or /path/to/mysqld: a private server of it is started.
    #[arg(long, value_name = "SERVER", default_value = "mariadb")]
    server: ServerChoice,

    /// Program of logtrace.
    #[arg(long, value_name = "PATH")]
    logtrace: PathBuf,
}

/// Measures and prints what the arguments say.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let server = SharedServer::start(arguments.server.clone(), vec!["thread_cache_size=0".parse()?])?;
    let facts = server.facts();
    println!(
        "{} {}, update_key at {}/s, {} connections a second come and go, {}",
        facts.flavor,
        facts.version,
        arguments.rate,
        arguments.churn,
        humantime::format_duration(arguments.duration)
    );
    let pid = facts.pid.context("the server is on another machine")?;
    let pace = Pace::Open {
        rate_per_s: arguments.rate,
        arrivals: Arrivals::Poisson,
    };
    let load = SteadyLoad::start(&server, CONNECTIONS, pace)?;
    let churn = Churn::start(server.connection(), arguments.churn.get(), UPDATE)?;
    let samples = traced(arguments, pid, &churn)?;
    // What was measured is printed first, whatever else fails.
    let judged = judged(&samples);
    println!("{} connections came and went", churn.stop()?);
    load.stop()?;
    server.stop()?;
    judged
}

/// Traces the server as long as connections come and go, and returns the footprints of logtrace with the seconds since the
/// start.
fn traced(arguments: &Arguments, pid: u32, churn: &Churn) -> anyhow::Result<Vec<(f64, Footprint)>> {
    let out = tempfile::tempdir()?;
    let mut command = Command::new(&arguments.logtrace);
    command
        .args(["trace", "--pid", &pid.to_string(), "--out"])
        .arg(out.path());
    // It has its maps before it says anything.
    let has_maps = |id, _: &str| Footprint::of(id).is_ok_and(|footprint| footprint.maps > 0.0);
    let mut child = Child::start(command, has_maps)?;
    let (begun, mut samples) = (Instant::now(), Vec::new());
    while begun.elapsed() < SETTLING + arguments.duration && !churn.has_ended() {
        child.check()?;
        if begun.elapsed() >= SETTLING {
            samples.push((begun.elapsed().as_secs_f64(), Footprint::of(child.id())?));
        }
        thread::sleep(arguments.duration / SAMPLES);
    }
    child.leave()?;
    Ok(samples)
}

/// Prints the slopes, and fails if one is above its bound.
fn judged(samples: &[(f64, Footprint)]) -> anyhow::Result<()> {
    println!(
        "{:<18}{:>14}{:>14}{:>16}{:>14}{:>14}",
        "", "first", "last", "growth/h", "+-", "bound"
    );
    let mut growing = Vec::new();
    for (number, name) in NAMES.into_iter().enumerate() {
        let series: Vec<(f64, f64)> = samples
            .iter()
            .map(|(s, footprint)| (*s, footprint.numbers()[number]))
            .collect();
        let slope = Slope::of(&series).context("too few samples")?;
        let (first, last) = (series[0].1, series[series.len() - 1].1);
        let Slope { per_hour, error } = slope;
        println!(
            "{name:<18}{first:>14.0}{last:>14.0}{per_hour:>16.1}{error:>14.1}{:>14.1}",
            BOUNDS[number]
        );
        if slope.is_above(BOUNDS[number]) {
            growing.push(name);
        }
    }
    anyhow::ensure!(growing.is_empty(), "it grows: {}", growing.join(", "));
    Ok(())
}
