//! Export of a recording to the standard output.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use logtrace_events::RecordingReader;
use logtrace_report::perfetto::{ExportError, Exported, Selection, export};
use logtrace_report::pprof::pprof;
use logtrace_report::units;

use crate::run_dir::{RunDir, RunResults, open_recording, read_document};

/// Writes a part of a run's recording to the standard output as a trace for Perfetto, and says on stderr what it has.
pub(super) fn export_perfetto(dir: &RunDir, selection: Selection) -> anyhow::Result<()> {
    let path = recording(dir, "perfetto", "commits.pftrace.gz")?;
    let server = read_document(dir)?.server;
    let open = || RecordingReader::new(BufReader::new(File::open(&path)?));
    let name = format!("{} {}", server.flavor, server.version);
    match export(open, selection, &name, BufWriter::new(io::stdout().lock())) {
        Ok(exported) => {
            let _ = writeln!(io::stderr(), "{}", summary(&exported));
            Ok(())
        }
        // Whoever reads it may have read enough.
        Err(ExportError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot export {}", path.display())),
    }
}

/// Writes the commits of a run's recording to the standard output as a table of Parquet.
pub(super) fn export_parquet(dir: &RunDir) -> anyhow::Result<()> {
    let path = recording(dir, "parquet", "commits.parquet")?;
    let document = read_document(dir)?;
    let recording = open_recording(dir)?.context("the recording is gone")?;
    match logtrace_dataset::commits(recording, &document, io::stdout()) {
        Ok(commits) => {
            let _ = writeln!(io::stderr(), "{} commits", units::count(commits));
            Ok(())
        }
        Err(error) if error.is_closed_pipe() => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot export {}", path.display())),
    }
}

/// Writes the commit time of a run by stack to the standard output as a profile of pprof.
pub(super) fn export_pprof(dir: &RunDir, results: RunResults) -> anyhow::Result<()> {
    let RunResults {
        document, over_time, ..
    } = results;
    let over_time = over_time.filter(|_| document.commits.is_some());
    let over_time = over_time.with_context(|| {
        format!(
            "{} has no commits over time: trace it with this version",
            dir.path().display()
        )
    })?;
    refuse_terminal("commits.pb.gz")?;
    match pprof(&over_time.causes, io::stdout().lock()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write the profile"),
        _ => Ok(()),
    }
}

/// Refuses to write what is no text to a terminal.
fn refuse_terminal(example: &str) -> anyhow::Result<()> {
    match io::stdout().is_terminal() {
        true => bail!("the output is no text. Write it to a file: > {example}"),
        false => Ok(()),
    }
}

/// Returns the path of the recording that is exported. Refuses a run without one, and a terminal.
fn recording(dir: &RunDir, format: &str, example: &str) -> anyhow::Result<PathBuf> {
    let path = dir.records_bin();
    if !path.exists() {
        bail!(
            "{} has no recording: {format} needs one. Run or trace with --record",
            dir.path().display()
        );
    }
    refuse_terminal(example)?;
    Ok(path)
}

fn summary(exported: &Exported) -> String {
    let cut = match exported.is_cut {
        true => {
            ". Later ones were left out, because Perfetto shows a million slices at once: name less with --from and --to"
        }
        false => "",
    };
    format!(
        "{} commits of {} together, {} wake-ups, {} slices{cut}",
        units::count(exported.commits),
        units::duration(exported.total_ns),
        units::count(exported.wake_ups),
        units::count(exported.slices)
    )
}
