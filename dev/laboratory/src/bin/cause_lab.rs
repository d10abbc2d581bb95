//! `cause-lab`: puts known causes of waits into real servers, and compares them with logtrace's reports.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program's result and its progress"
)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use logtrace_common::Flavor;
use logtrace_laboratory::comparison::Gain;
use logtrace_laboratory::experiment::Experiment;
use logtrace_laboratory::experiments;
use logtrace_laboratory::table::{ExperimentRow, TableHead};
use rustix::process::setpriority_process;

/// Puts known causes of waits into real servers, and compares them with what logtrace's reports gain.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  scripts/cause-lab --list
  scripts/cause-lab binlog-fsync row-lock
  scripts/cause-lab --server mariadb --pairs 8 >table.md

One line on stderr for each pair of windows, one table on stdout, each row when it is done. Exit code 1 if a cause is not found with its size.")]
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
    #[arg(long, default_value_t = 3)]
    pairs: usize,

    /// Time for which the cause is put in.
    #[arg(long, default_value = "3s", value_parser = humantime::parse_duration)]
    length: Duration,

    /// Program of logtrace.
    #[arg(long)]
    logtrace: PathBuf,

    /// Print the gains of all other causes too.
    #[arg(long)]
    all: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let experiments = arguments.experiments()?;
    if arguments.list {
        for experiment in &experiments {
            println!("{:14} {}", experiment.name, experiment.put_in);
        }
        return Ok(ExitCode::SUCCESS);
    }
    // For this process, the servers, their file systems and the tracer: what else the machine does holds them up less.
    setpriority_process(None, -20)?;
    print!("{TableHead}");
    let mut is_good = true;
    for experiment in &experiments {
        for flavor in arguments.flavors() {
            // At once: Ctrl-C leaves the rows that are done.
            let row = arguments.row(experiment, flavor);
            print!("{row}");
            is_good &= row.is_good();
        }
    }
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl Arguments {
    fn experiments(&self) -> anyhow::Result<Vec<Experiment>> {
        let mut experiments = experiments::all();
        for name in &self.names {
            anyhow::ensure!(
                experiments.iter().any(|experiment| experiment.name == name),
                "there is no experiment {name}; --list shows all"
            );
        }
        let is_named = |name: &str| self.names.iter().any(|wanted| wanted == name);
        experiments.retain(|experiment| self.names.is_empty() || is_named(experiment.name));
        Ok(experiments)
    }

    fn flavors(&self) -> impl Iterator<Item = Flavor> {
        let wanted = self.server.as_ref();
        let flavors = [Flavor::MySql, Flavor::MariaDb].into_iter();
        flavors
            .filter(move |flavor| wanted.is_none_or(|wanted| flavor.to_string().eq_ignore_ascii_case(wanted)))
    }

    /// Does one experiment on one server, in a thread of its own: it changes the thread's mounts and CPUs.
    fn row(&self, experiment: &Experiment, flavor: Flavor) -> ExperimentRow {
        eprintln!("{} on {flavor}: {}", experiment.name, experiment.put_in);
        let result = thread::scope(|scope| scope.spawn(|| self.gains(experiment, flavor)).join());
        let result = match result {
            Ok(gains) => gains.map_err(|error| format!("failed: {error:#}")),
            // The message of a panic is on stderr.
            Err(_) => Err("failed".to_owned()),
        };
        if let Err(reason) = &result {
            eprintln!("  {reason}");
        }
        ExperimentRow::new(experiment, flavor, result)
    }

    fn gains(&self, experiment: &Experiment, flavor: Flavor) -> anyhow::Result<Vec<Gain>> {
        let mut setup = (experiment.start)(flavor)?;
        let mut gains = Vec::new();
        setup.pairs(&self.logtrace, self.pairs, self.length, &mut |pair| {
            let gain = Gain::of(pair, |cause| (experiment.is_expected)(flavor, cause));
            self.print(&gain);
            gains.push(gain);
        })?;
        setup.stop()?;
        Ok(gains)
    }

    fn print(&self, gain: &Gain) {
        let (other, share) = gain.largest_other().unwrap_or(("none", 0.0));
        eprintln!(
            "  put in {:.3} s, by the client {:.3} s; found {:.1} %; {other} {:.1} %; all others {:.1} %",
            gain.put_in / 1e9,
            gain.by_client / 1e9,
            100.0 * gain.share_found(),
            100.0 * share,
            100.0 * gain.share_elsewhere()
        );
        if self.all {
            for (name, ns) in &gain.others {
                eprintln!("    {name}: {:.2} %", 100.0 * ns / gain.put_in);
            }
        }
    }
}
