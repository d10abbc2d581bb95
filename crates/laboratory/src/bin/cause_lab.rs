//! `cause-lab`: puts known causes of waits into real servers, and compares them with logtrace's reports.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use logtrace_common::Flavor;
use logtrace_laboratory::comparison::Gain;
use logtrace_laboratory::experiment::Experiment;
use logtrace_laboratory::experiments;
use logtrace_laboratory::table::{Markdown, Row};
use rustix::process::setpriority_process;

/// Puts known causes of waits into real servers, and compares them with what logtrace's reports gain.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  scripts/cause-lab --list
  scripts/cause-lab binlog-fsync row-lock
  scripts/cause-lab --server mariadb --pairs 8 >table.md

Exit code 1 if a cause is not found with its size.")]
struct Arguments {
    /// Names of experiments. Default: all.
    names: Vec<String>,

    /// List the experiments.
    #[arg(long)]
    list: bool,

    /// Only this server: mysql or mariadb.
    #[arg(long)]
    server: Option<String>,

    /// Pairs of windows, without the cause and with it.
    #[arg(long, default_value_t = 5)]
    pairs: usize,

    /// Time for which the cause is put in.
    #[arg(long, default_value = "3s", value_parser = humantime::parse_duration)]
    length: Duration,

    /// Program of logtrace.
    #[arg(long)]
    logtrace: PathBuf,

    /// Print all other causes that gained.
    #[arg(long)]
    all: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let mut experiments = experiments::all();
    for name in &arguments.names {
        anyhow::ensure!(
            experiments.iter().any(|experiment| experiment.name == name),
            "there is no experiment {name}; --list shows all"
        );
    }
    experiments.retain(|experiment| {
        arguments.names.is_empty() || arguments.names.iter().any(|name| name == experiment.name)
    });
    if arguments.list {
        for experiment in &experiments {
            println!("{:14} {}", experiment.name, experiment.put_in);
        }
        return Ok(ExitCode::SUCCESS);
    }
    // For this process, the servers, their file systems and the tracer: what else the machine does holds them up less.
    setpriority_process(None, -20)?;
    let mut rows = Vec::new();
    for experiment in experiments {
        for flavor in [Flavor::MySql, Flavor::MariaDb] {
            let wanted = arguments.server.as_ref();
            if wanted.is_none_or(|wanted| flavor.to_string().eq_ignore_ascii_case(wanted)) {
                rows.push(row(&arguments, experiment, flavor));
            }
        }
    }
    print!("{}", Markdown(&rows));
    let is_good = rows.iter().all(Row::is_good);
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Does one experiment on one server, in a thread of its own: it changes the thread's mounts and CPUs.
fn row(arguments: &Arguments, experiment: Experiment, flavor: Flavor) -> Row {
    eprintln!("{} on {flavor}: {}", experiment.name, experiment.put_in);
    if let Some((other, reason)) = experiment.not_on
        && other == flavor
    {
        return Row::new(&experiment, flavor, Err(reason.to_owned()));
    }
    let result = thread::scope(|scope| {
        let done = scope
            .spawn(|| std::panic::catch_unwind(AssertUnwindSafe(|| gains(arguments, experiment, flavor))));
        done.join()
    });
    let result = match result {
        Ok(Ok(Ok(gains))) => Ok(gains),
        Ok(Ok(Err(error))) => Err(format!("failed: {error:#}")),
        _ => Err("failed: see the messages".to_owned()),
    };
    if let Err(reason) = &result {
        eprintln!("  {reason}");
    }
    Row::new(&experiment, flavor, result)
}

fn gains(arguments: &Arguments, experiment: Experiment, flavor: Flavor) -> anyhow::Result<Vec<Gain>> {
    let mut setup = (experiment.start)(flavor)?;
    let is_expected = |cause: &_| (experiment.is_expected)(flavor, cause);
    let pairs = setup.pairs(
        &arguments.logtrace,
        arguments.pairs,
        arguments.length,
        &mut |pair| {
            let gain = Gain::of(pair, experiment.time, is_expected);
            let (other, share) = gain.largest_other().unwrap_or(("none", 0.0));
            eprintln!(
                "  put in {:.3} s, by the client {:.3} s; found {:.1} %; {other} {:.1} %; all others {:.1} %",
                gain.put_in / 1e9,
                gain.by_client / 1e9,
                100.0 * gain.share_found(),
                100.0 * share,
                100.0 * gain.share_elsewhere()
            );
            if arguments.all {
                for (name, ns) in &gain.others {
                    eprintln!("    {name}: {:.2} %", 100.0 * ns / gain.put_in);
                }
            }
        },
    );
    let pairs = pairs?;
    setup.stop()?;
    Ok(pairs
        .iter()
        .map(|pair| Gain::of(pair, experiment.time, is_expected))
        .collect())
}
