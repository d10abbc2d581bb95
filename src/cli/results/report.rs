//! Arguments of `logtrace report`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use logtrace_common::TimeRange;
use logtrace_report::perfetto::Selection;
use logtrace_report::render::Format;

use crate::cli::check::duration;
use crate::exit::UsageError;
use crate::output::Place;
use crate::source::Source;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  logtrace report
      the last run in logtrace-runs
  logtrace report logtrace-runs/20260102-030405-update_key
  logtrace report RUN_DIR --format markdown --out report.md
  logtrace report report.html --format json | jq .causes
      a page that somebody sent
  logtrace report RUN_DIR --explain-again
      the causes as this version finds them in the records of an older run with --record
  logtrace report RUN_DIR --format folded | flamegraph.pl > commits.svg
  logtrace report RUN_DIR --format perfetto
      writes RUN_DIR/commits.pftrace.gz for https://ui.perfetto.dev, which reads the file in the browser: the slowest and typical commits, and those of
      stalls; with --record what all threads did meanwhile")]
pub(crate) struct ReportArgs {
    /// Run directory, or the page of a run (report.html) [default: the last run in logtrace-runs].
    #[arg(value_name = "RUN_DIR|report.html")]
    pub(crate) run: Option<PathBuf>,

    /// Output format.
    ///
    /// One of terminal, json, html, markdown, csv, folded (stacks of commits), folded-response (stacks of requests, from
    /// the client to the causes of commits), folded-statement (stacks of statements outside of commits, for a run with
    /// --detail full), speedscope (all stacks, for the viewer of that name), perfetto (what each thread did, for the viewer
    /// of that name; without --record what is known of the commits that were kept), parquet (a row for each commit; for a run with --record. `logtrace collect` writes
    /// all tables), pprof (commit time by stack, for the tool of that name).
    #[arg(long, value_name = "FORMAT", default_value = "terminal", value_parser = output)]
    pub(crate) format: Output,

    /// Show a row for each cause, too. For the formats terminal and markdown.
    #[arg(long)]
    pub(crate) all: bool,

    /// File for the output; `-` is the standard output. Default: texts to the standard output, and perfetto, parquet and pprof,
    /// which are no texts, into RUN_DIR as commits.pftrace.gz, commits.parquet and commits.pb.gz.
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    /// Explain the commits again with this version, from the records of a run or a trace with --record.
    ///
    /// Any format is then of the new explanation: commits, their causes and stacks, files, devices, groups, statements, stalls
    /// and the parts of response times. The numbers of the load, the settings and the cost of the tracer stay those of
    /// run.json. Nothing in RUN_DIR is changed. perfetto and parquet always explain the records if there are any.
    #[arg(long)]
    pub(crate) explain_again: bool,

    /// Export this many of the slowest commits, at most 64, to perfetto. Default: the 64 slowest, typical ones, and those of stalls.
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "to", "whole"])]
    slowest: Option<usize>,

    /// Export to perfetto from this time of the window on.
    #[arg(long, value_name = "T", value_parser = duration, conflicts_with = "whole")]
    from: Option<Duration>,

    /// Export to perfetto until this time of the window.
    #[arg(long, value_name = "T", value_parser = duration, conflicts_with = "whole")]
    to: Option<Duration>,

    /// Export all of the window of a run with --record to perfetto, up to a million slices.
    #[arg(long)]
    whole: bool,
}

/// Output of the command: the results in a format, or what is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Results(Format),
    Perfetto,
    Parquet,
    Pprof,
}

fn output(name: &str) -> Result<Output, String> {
    match name {
        "perfetto" => Ok(Output::Perfetto),
        "parquet" => Ok(Output::Parquet),
        "pprof" => Ok(Output::Pprof),
        name => name
            .parse()
            .map(Output::Results)
            .map_err(|error| format!("{error}, perfetto, parquet or pprof")),
    }
}

impl Output {
    /// Returns the usual name of the file; `None` for a text, which is usually printed.
    fn file_name(self) -> Option<&'static str> {
        match self {
            Self::Results(_) => None,
            Self::Perfetto => Some("commits.pftrace.gz"),
            Self::Parquet => Some("commits.parquet"),
            Self::Pprof => Some("commits.pb.gz"),
        }
    }
}

impl ReportArgs {
    /// Refuses `--all` for a format without a short form.
    pub(crate) fn check_all(&self) -> Result<(), UsageError> {
        match (self.all, self.format) {
            (false, _) | (true, Output::Results(Format::Terminal | Format::Markdown)) => Ok(()),
            (true, _) => Err(UsageError(
                "--all is for --format terminal and markdown: the other formats have every cause".to_owned(),
            )),
        }
    }

    /// Returns where the output goes. Refuses to send what is no text to a terminal.
    pub(crate) fn place(&self, source: &Source) -> Result<Place, UsageError> {
        let name = self.format.file_name();
        let usual = name.map_or(Place::Stdout, |name| Place::File(source.beside(name)));
        let place = Place::new(self.out.as_deref(), usual);
        match name {
            Some(name) if place.is_terminal() => Err(UsageError(format!(
                "the output is no text, and a terminal cannot show it: leave out --out -, or write --out {name}"
            ))),
            _ => Ok(place),
        }
    }

    /// Returns the part of the run to export, and refuses one for other formats.
    pub(crate) fn selection(&self) -> Result<Selection, UsageError> {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let is_named = self.slowest.is_some() || self.from.is_some() || self.to.is_some() || self.whole;
        if is_named && self.format != Output::Perfetto {
            return Err(UsageError(
                "--slowest, --from, --to and --whole are for --format perfetto".to_owned(),
            ));
        }
        Ok(match (self.whole, self.from, self.to) {
            (true, ..) => Selection::Whole,
            (false, None, None) => self.slowest.map_or(Selection::Exemplars, Selection::Slowest),
            (false, from, to) => Selection::Part(TimeRange::new(
                from.map_or(0, nanoseconds),
                to.map_or(u64::MAX, nanoseconds),
            )),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    /// These arguments of `logtrace report`.
    fn report(arguments: &[&str]) -> ReportArgs {
        let words = ["logtrace", "report"].iter().chain(arguments);
        match Cli::try_parse_from(words).unwrap().command {
            Command::Report(report) => report,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn texts_are_printed_and_other_formats_are_files_of_the_run() {
        let page = Source::Page("runs/a/report.html".into());
        let place = |arguments: &[&str]| report(arguments).place(&page).unwrap();
        assert_eq!(place(&[]), Place::Stdout);
        assert_eq!(place(&["--format", "json"]), Place::Stdout);
        for (format, name) in [
            ("perfetto", "commits.pftrace.gz"),
            ("parquet", "commits.parquet"),
            ("pprof", "commits.pb.gz"),
        ] {
            let usual = Place::File(Path::new("runs/a").join(name));
            assert_eq!(place(&["--format", format]), usual);
            assert_eq!(
                place(&["--format", format, "--out", "x"]),
                Place::File("x".into())
            );
        }
        assert_eq!(
            place(&["--format", "html", "--out", "y"]),
            Place::File("y".into())
        );
    }
}
