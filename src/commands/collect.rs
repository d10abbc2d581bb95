//! `logtrace collect`: run directories as a data set of Parquet.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::civil::Date;
use logtrace_dataset::{Exported, Level, Run, Table, export};
use logtrace_report::document::Document;
use logtrace_report::units;
use logtrace_server::{Writers, trusted_directory};
use sha2::{Digest, Sha256};
use strum::IntoEnumIterator;

use crate::cli::results::collect::CollectArgs;
use crate::exit::Exit;
use crate::private_file::create_file;
use crate::run_dir::{self, RunDir};

/// Name of the file of a table and a run.
const FILE: &str = "part-0.parquet";
/// Name of the same while it is written.
const PARTIAL: &str = "part-0.parquet.partial";

/// Adds runs to a data set, and prints a line for each.
pub(crate) fn collect(arguments: &CollectArgs) -> anyhow::Result<Exit> {
    // All first: a wrong name changes nothing.
    let opened = arguments.runs.iter().map(|run| RunDir::open(run));
    let runs = opened.collect::<anyhow::Result<Vec<_>>>()?;
    let dataset = &arguments.out;
    trusted_directory(dataset, Some(0o700), Writers::OthersIfSticky)
        .with_context(|| format!("cannot create the data set {}", dataset.display()))?;
    let mut exit = Exit::Done;
    for run in runs {
        let shown = run.path().display();
        let (exported, is_whole) =
            collect_run(&run, dataset, arguments.level).with_context(|| format!("cannot collect {shown}"))?;
        if !is_whole {
            let _ = writeln!(
                io::stderr(),
                "{shown} has no recording, so its commits are missing: run or trace with --record"
            );
            exit = Exit::Degraded;
        }
        let rows = units::count(exported.rows);
        // Whoever reads it may have read enough.
        let _ = writeln!(io::stdout(), "{shown}: {rows} rows");
    }
    Ok(exit)
}

/// Exports a run. Returns what was exported, and whether the run has all that the level asks for.
fn collect_run(dir: &RunDir, dataset: &Path, level: Level) -> anyhow::Result<(Exported, bool)> {
    let document = run_dir::read_document(dir)?;
    let over_time = run_dir::read_over_time(dir, &document)?;
    let requests = run_dir::read_requests(dir)?;
    let recording = run_dir::open_recording(dir)?;
    let is_whole = level < Level::Commits || recording.is_some() || document.commits.is_none();
    let partition = Partition {
        dataset,
        name: partition_name(dir, &document)?,
    };
    let run = Run {
        document: &document,
        over_time: over_time.as_ref(),
        recording,
        requests: requests.as_ref(),
    };
    let exported = export(run, level, |table| partition.create(table)).map_err(anyhow::Error::from);
    let ended = exported.and_then(|exported| {
        partition.complete().context("cannot rename a file")?;
        Ok(exported)
    });
    let exported = ended.inspect_err(|_| partition.discard())?;
    Ok((exported, is_whole))
}

/// Part of a data set that has one run.
struct Partition<'a> {
    dataset: &'a Path,
    name: String,
}

impl Partition<'_> {
    fn directory(&self, table: Table) -> PathBuf {
        self.dataset.join(table.to_string()).join(&self.name)
    }

    /// Creates the file of a table, which has another name until all are complete.
    fn create(&self, table: Table) -> io::Result<File> {
        let directory = self.directory(table);
        DirBuilder::new().mode(0o700).recursive(true).create(&directory)?;
        create_file(&directory.join(PARTIAL))
    }

    /// Gives the files their names. Removes what the run had at a higher level before.
    fn complete(&self) -> io::Result<()> {
        for table in Table::iter() {
            let directory = self.directory(table);
            match fs::rename(directory.join(PARTIAL), directory.join(FILE)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => remove(&directory)?,
                renamed => renamed?,
            }
        }
        Ok(())
    }

    /// Removes files that are not complete.
    fn discard(&self) {
        for table in Table::iter() {
            // The error that brought us here is the one to report.
            let _ = fs::remove_file(self.directory(table).join(PARTIAL));
        }
    }
}

fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Returns the directories of the day and of the run. A run has the same name each time, and another one than each other run.
fn partition_name(dir: &RunDir, document: &Document) -> anyhow::Result<String> {
    let path = fs::canonicalize(dir.path())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || "._-".contains(c) => c,
        _ => '_',
    };
    let name: String = name.chars().map(plain).collect();
    let digest = Sha256::digest(fs::read(dir.run_json())?);
    let digest: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let day = document.started.get(..10).unwrap_or_default();
    let day: Date = day
        .parse()
        .with_context(|| format!("the run started at no time: {:?}", document.started))?;
    Ok(format!("date={day}/run={name}-{digest}"))
}
