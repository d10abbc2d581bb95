//! Export of a run to the standard output.

use std::io::{self, BufReader, BufWriter, ErrorKind, IsTerminal};
use std::path::PathBuf;

use anyhow::{Context, bail};
use logtrace_attribution::breakdown::OverTime;
use logtrace_common::{InputError, InputKind, units};
use logtrace_events::RecordingReader;
use logtrace_measure::run_dir::{RECORDS, RunDir, RunResults, open_recording, read_document, read_over_time};
use logtrace_measure::say;
use logtrace_report::document::Document;
use logtrace_report::perfetto::{ExportError, Exported, Selection, export, export_exemplars};
use logtrace_report::pprof::pprof;
use serde_json::Value;

/// Writes a part of a run's recording to the standard output as a trace for Perfetto, and says on stderr what it has. Without a
/// recording these are the exemplars, unless `needs_recording`.
pub(super) fn export_perfetto(
    dir: &RunDir,
    selection: Selection,
    needs_recording: bool,
) -> anyhow::Result<()> {
    let needs_recording = needs_recording || selection == Selection::Whole;
    if !needs_recording && !has_recording(dir) {
        return export_kept(dir, selection);
    }
    let path = recording(dir, "perfetto", "commits.pftrace.gz")?;
    let name = read_document(dir)?.server.name();
    let open = || {
        let file = dir.input(RECORDS, InputKind::Recording);
        RecordingReader::new(BufReader::new(file.map_err(io::Error::from)?))
    };
    let exported = export(open, selection, &name, BufWriter::new(io::stdout().lock()));
    say_summary(exported, summary).with_context(|| format!("cannot export {}", path.display()))
}

/// Writes the commits that a run without a recording kept whole as a trace for Perfetto.
fn export_kept(dir: &RunDir, selection: Selection) -> anyhow::Result<()> {
    let document = read_document(dir)?;
    let over_time = read_over_time(dir, &document)?.filter(|over_time| !over_time.slowest.commits.is_empty());
    let over_time = over_time.with_context(|| {
        format!(
            "{} has neither a recording nor single commits: perfetto needs one of them. Run or trace with --record",
            dir.path().display()
        )
    })?;
    refuse_terminal("commits.pftrace.gz")?;
    let name = document.server.name();
    let server = (server_pid(dir, &document, &over_time), name.as_str());
    let exported = export_exemplars(&over_time, selection, server, BufWriter::new(io::stdout().lock()));
    say_summary(exported, |exported| {
        format!(
            "only exemplars, because the run has no recording (--record): {} commits of {} together (the slowest, typical ones \
             and those of stalls), {} arrows where they waited for another thread, {} slices",
            units::count(exported.commits),
            units::duration(exported.total_ns),
            units::count(exported.hops),
            units::count(exported.slices)
        )
    })
    .with_context(|| format!("cannot export the commits of {}", dir.path().display()))
}

/// Returns the process of the server: that of a trace, or as `server.json` has it. A thread of the server stands for one that is
/// unknown.
fn server_pid(dir: &RunDir, document: &Document, over_time: &OverTime) -> u32 {
    let of_trace = document.trace.as_ref().map(|trace| trace.pid);
    let of_facts = || {
        let facts = dir.text("server.json", InputKind::Facts).ok()?;
        let facts: Value = serde_json::from_str(&facts).ok()?;
        u32::try_from(facts.pointer("/server/pid")?.as_u64()?).ok()
    };
    let slowest = over_time.slowest.commits.first();
    let thread = slowest.map_or(0, |commit| commit.tid);
    of_trace.or_else(of_facts).unwrap_or(thread)
}

/// Says on stderr what was exported.
fn say_summary(
    exported: Result<Exported, ExportError>,
    summary: impl FnOnce(&Exported) -> String,
) -> Result<(), ExportError> {
    match exported {
        Ok(exported) => {
            say::line(&summary(&exported));
            Ok(())
        }
        // Whoever reads it may have read enough.
        Err(ExportError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes the commits of a run's recording to the standard output as a table of Parquet.
pub(super) fn export_parquet(dir: &RunDir) -> anyhow::Result<()> {
    let path = recording(dir, "parquet", "commits.parquet")?;
    let document = read_document(dir)?;
    if document.commits.is_none() {
        bail!(
            "{} did not finish, so no sums prove its commits: report --explain-again shows what the recording has",
            dir.path().display()
        );
    }
    let recording = open_recording(dir)?.context("the recording is gone")?;
    match logtrace_dataset::commits(recording, &document, io::stdout()) {
        Ok(commits) => {
            say::line(&format!("{} commits", units::count(commits)));
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
    if !has_recording(dir) {
        bail!(
            "{} has no recording: {format} needs one. Run or trace with --record",
            dir.path().display()
        );
    }
    refuse_terminal(example)?;
    Ok(dir.records_bin())
}

/// Returns whether there is a recording, readable or not.
fn has_recording(dir: &RunDir) -> bool {
    let opened = dir.input(RECORDS, InputKind::Recording);
    !opened.is_err_and(|error: InputError| error.is_missing())
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
