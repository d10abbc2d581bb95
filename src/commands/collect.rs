//! `logtrace collect`: run directories as a data set of Parquet.

use std::fs;
use std::io::{self, Write as _};

use anyhow::Context;
use jiff::civil::Date;
use logtrace_common::{InputFile, InputKind, inert, units};
use logtrace_dataset::{ExportError, ExportLevel, Exported, RunToExport, export};
use logtrace_measure::run_dir::{self, RunDir, RunRecording, open_recording};
use logtrace_measure::say;
use logtrace_report::document::Document;
use sha2::{Digest, Sha256};

use crate::cli::results::collect::CollectArgs;
use crate::data_set::DataSet;
use crate::exit::Exit;

/// Adds runs to a data set, and prints a line for each.
pub(crate) fn collect(arguments: &CollectArgs) -> anyhow::Result<Exit> {
    // All first: a wrong name changes nothing.
    let opened = arguments.runs.iter().map(|run| RunDir::open(run));
    let runs = opened.collect::<anyhow::Result<Vec<_>>>()?;
    let data_set = DataSet::open(&arguments.out)?;
    let mut exit = Exit::Done;
    for run in runs {
        let shown = run.path().display();
        let (exported, missing) = collect_run(&run, &data_set, arguments.level)
            .with_context(|| format!("cannot collect {shown}"))?;
        if let Some(missing) = missing {
            say::line(&format!("{shown} {missing}"));
            exit = Exit::Degraded;
        }
        let rows = units::count(exported.rows);
        // Whoever reads it may have read enough.
        let _ = writeln!(io::stdout(), "{}", inert::line(&format!("{shown}: {rows} rows")));
    }
    Ok(exit)
}

/// Returns the recording that the level asks for, and otherwise why its commits are missing.
fn recording(
    dir: &RunDir,
    document: &Document,
    level: ExportLevel,
) -> anyhow::Result<(Option<RunRecording>, Option<&'static str>)> {
    if level < ExportLevel::Commits {
        return Ok((None, None));
    }
    Ok(match (open_recording(dir)?, &document.commits) {
        (Some(recording), Some(_)) => (Some(recording), None),
        // Its commits have no sums that would prove them.
        (Some(_), None) => (
            None,
            Some("did not finish, so its commits are missing: report --explain-again shows them"),
        ),
        (None, Some(_)) => (
            None,
            Some("has no recording, so its commits are missing: run or trace with --record"),
        ),
        (None, None) => (None, None),
    })
}

/// Exports a run. Returns what was exported, and what the run lacks of what the level asks for.
fn collect_run(
    dir: &RunDir,
    data_set: &DataSet,
    level: ExportLevel,
) -> anyhow::Result<(Exported, Option<&'static str>)> {
    let document = run_dir::read_document(dir)?;
    let over_time = run_dir::read_over_time(dir, &document)?;
    let requests = run_dir::read_requests(dir, &document)?;
    let (recording, missing) = recording(dir, &document, level)?;
    let partition = data_set.partition(partition_names(dir, &document)?)?;
    let run = RunToExport {
        document: &document,
        over_time: over_time.as_ref(),
        recording,
        requests: requests.as_ref(),
    };
    let exported = export(run, level, |table| partition.create(table)).map_err(|error| match error {
        ExportError::Recording(error) => {
            anyhow::Error::from(error).context(format!("cannot understand {}", dir.records_bin().display()))
        }
        other => other.into(),
    });
    let ended = exported.and_then(|exported| {
        partition.complete().context("cannot rename a file")?;
        Ok(exported)
    });
    let exported = ended.inspect_err(|_| partition.discard())?;
    Ok((exported, missing))
}

/// Returns the directories of the day and of the run. A run has the same name each time, and another one than each other run.
fn partition_names(dir: &RunDir, document: &Document) -> anyhow::Result<[String; 2]> {
    let path = fs::canonicalize(dir.path())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || "._-".contains(c) => c,
        _ => '_',
    };
    let name: String = name.chars().map(plain).collect();
    let bytes = dir
        .input("run.json", InputKind::Document)
        .and_then(InputFile::read_bytes)?;
    let digest = Sha256::digest(bytes);
    let digest: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let day = document.started.get(..10).unwrap_or_default();
    let day: Date = day
        .parse()
        .with_context(|| format!("the run started at no time: {:?}", document.started))?;
    Ok([format!("date={day}"), format!("run={name}-{digest}")])
}
