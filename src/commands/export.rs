//! Export of a recording to the standard output, as a trace for Perfetto.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, IsTerminal, Write};

use anyhow::{Context, bail};
use logtrace_events::RecordingReader;
use logtrace_report::perfetto::{ExportError, Exported, Selection, export};
use logtrace_report::units;

use crate::run_dir::{RunDir, read_document};

/// Writes a part of a run's recording to the standard output, and says on stderr what it has.
pub(super) fn export_recording(dir: &RunDir, selection: Selection) -> anyhow::Result<()> {
    let path = dir.records_bin();
    if !path.exists() {
        bail!(
            "{} has no recording: perfetto needs one. Run or trace with --record",
            dir.path().display()
        );
    }
    let out = io::stdout();
    if out.is_terminal() {
        bail!("the trace is no text. Write it to a file: > commits.pftrace.gz");
    }
    let server = read_document(dir)?.server;
    let open = || RecordingReader::new(BufReader::new(File::open(&path)?));
    let name = format!("{} {}", server.flavor, server.version);
    match export(open, selection, &name, BufWriter::new(out.lock())) {
        Ok(exported) => {
            let _ = writeln!(io::stderr(), "{}", summary(&exported));
            Ok(())
        }
        // Whoever reads it may have read enough.
        Err(ExportError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot export {}", path.display())),
    }
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
