//! Export of a run to a file or to the standard output, in formats that are no texts.

use std::io::{self, BufReader, BufWriter, ErrorKind};
use std::path::PathBuf;

use anyhow::{Context, bail};
use logtrace_attribution::breakdown::OverTime;
use logtrace_common::{InputError, InputKind, units};
use logtrace_events::RecordingReader;
use logtrace_measure::run_dir::{RECORDS, RunDir, RunResults, open_recording, read_document};
use logtrace_measure::say;
use logtrace_report::document::Document;
use logtrace_report::perfetto::{ExportedTrace, Selection, TraceExportError, export, export_exemplars};
use logtrace_report::pprof::pprof;
use serde_json::Value;

use crate::output::Place;
use crate::source::Source;

/// Writes a part of a run's recording as a trace for Perfetto, and says on stderr what it has. Without a recording these are the
/// exemplars, unless `needs_recording`.
pub(super) fn export_perfetto(
    source: &Source,
    selection: Selection,
    needs_recording: bool,
    place: &Place,
) -> anyhow::Result<()> {
    let needs_recording = needs_recording || selection == Selection::Whole;
    let dir = match source {
        Source::Directory(dir) if needs_recording || has_recording(dir) => dir,
        Source::Page(_) if needs_recording => return Err(only_a_page(source)),
        Source::Directory(_) | Source::Page(_) => return export_kept(source, selection, place),
    };
    let path = recording(dir, "perfetto")?;
    let name = read_document(dir)?.server.name();
    let open = || {
        let file = dir.input(RECORDS, InputKind::Recording);
        RecordingReader::new(BufReader::new(file.map_err(io::Error::from)?))
    };
    place
        .write(|to| {
            let exported = export(open, selection, &name, BufWriter::new(to));
            Ok(say_summary(exported, summary)?)
        })
        .with_context(|| format!("cannot export {}", path.display()))
}

/// Writes the commits that a run without a recording kept whole as a trace for Perfetto.
fn export_kept(source: &Source, selection: Selection, place: &Place) -> anyhow::Result<()> {
    let (document, over_time) = source.numbers()?;
    let over_time = over_time.filter(|over_time| !over_time.slowest.commits.is_empty());
    let mut over_time = over_time.with_context(|| {
        format!(
            "{} has neither a recording nor single commits: perfetto needs one of them. Run or trace with --record",
            source.path().display()
        )
    })?;
    over_time.threads = document.thread_names(&over_time);
    let name = document.server.name();
    let server = (server_pid(source, &document, &over_time), name.as_str());
    place
        .write(|to| {
            let exported = export_exemplars(&over_time, selection, server, BufWriter::new(to));
            Ok(say_summary(exported, |exported| {
                format!(
                    "only exemplars, because the run has no recording (--record): {} commits of {} together (the slowest, \
                     typical ones and those of stalls), {} arrows where they waited for another thread, {} slices",
                    units::count(exported.commits),
                    units::duration(exported.total_ns),
                    units::count(exported.hops),
                    units::count(exported.slices)
                )
            })?)
        })
        .with_context(|| format!("cannot export the commits of {}", source.path().display()))
}

/// Returns the process of the server: that of a trace, or as `server.json` has it. A thread of the server stands for one that is
/// unknown.
fn server_pid(source: &Source, document: &Document, over_time: &OverTime) -> u32 {
    let of_trace = document.trace.as_ref().map(|trace| trace.pid);
    let of_facts = || {
        let Source::Directory(dir) = source else {
            return None;
        };
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
    exported: Result<ExportedTrace, TraceExportError>,
    summary: impl FnOnce(&ExportedTrace) -> String,
) -> Result<(), TraceExportError> {
    match exported {
        Ok(exported) => {
            say::line(&summary(&exported));
            Ok(())
        }
        // Whoever reads it may have read enough.
        Err(TraceExportError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes the commits of a run's recording as a table of Parquet.
pub(super) fn export_parquet(source: &Source, place: &Place) -> anyhow::Result<()> {
    let Source::Directory(dir) = source else {
        return Err(only_a_page(source));
    };
    let path = recording(dir, "parquet")?;
    let document = read_document(dir)?;
    if document.commits.is_none() {
        bail!(
            "{} did not finish, so no sums prove its commits: report --explain-again shows what the recording has",
            dir.path().display()
        );
    }
    let recording = open_recording(dir)?.context("the recording is gone")?;
    let written = place.write(|to| match logtrace_dataset::commits(recording, &document, to) {
        Ok(commits) => {
            say::line(&format!("{} commits", units::count(commits)));
            Ok(())
        }
        Err(error) if error.is_closed_pipe() => Ok(()),
        Err(error) => Err(error.into()),
    });
    written.with_context(|| format!("cannot export {}", path.display()))
}

/// Writes the commit time of a run by stack as a profile of pprof.
pub(super) fn export_pprof(source: &Source, results: RunResults, place: &Place) -> anyhow::Result<()> {
    let RunResults {
        document, over_time, ..
    } = results;
    let commits = document.commits.as_ref().map_or(0, |commits| commits.count);
    if commits == 0 {
        bail!(
            "{} has no commit, so there is no profile: run or trace a load that commits",
            source.path().display()
        );
    }
    let over_time = over_time.with_context(|| {
        format!(
            "{} has no commits over time: trace it with this version",
            source.path().display()
        )
    })?;
    place.write(|to| match pprof(&over_time.causes, BufWriter::new(to)) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write the profile"),
        _ => Ok(()),
    })
}

/// Returns the error for what a page alone does not have.
pub(super) fn only_a_page(source: &Source) -> anyhow::Error {
    anyhow::anyhow!(
        "{} is a page: it has the numbers of a run, but no stacks and no recording. Name the run directory",
        source.path().display()
    )
}

/// Returns the path of the recording that is exported. Refuses a run without one.
fn recording(dir: &RunDir, format: &str) -> anyhow::Result<PathBuf> {
    if !has_recording(dir) {
        bail!(
            "{} has no recording: {format} needs one. Run or trace with --record",
            dir.path().display()
        );
    }
    Ok(dir.records_bin())
}

/// Returns whether there is a recording, readable or not.
fn has_recording(dir: &RunDir) -> bool {
    let opened = dir.input(RECORDS, InputKind::Recording);
    !opened.is_err_and(|error: InputError| error.is_missing())
}

fn summary(exported: &ExportedTrace) -> String {
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
