//! Directory of a study: the request, its progress, and a run directory for each measurement.

pub(crate) mod progress_file;
pub(crate) mod request;
pub(crate) mod turn_log;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use logtrace_common::{InputDir, InputError, InputFile, InputKind};
use logtrace_measure::errors::UsageError;
use logtrace_measure::private_file;
use logtrace_measure::run_dir::{RunDir, read_document};
use logtrace_report::document::{CaveatKind, Document};
use logtrace_server::{FileLock, Writers, trusted_directory};

use crate::cell::Cell;
use crate::order::measurement_order::Measurement;
use crate::runner::directory::progress_file::StudyProgress;

/// Caveats of a measurement that did not end normally and has to be repeated.
const NOT_MEASURED: [CaveatKind; 4] = [
    CaveatKind::UnfinishedRun,
    CaveatKind::Interrupted,
    CaveatKind::ServerDied,
    CaveatKind::DiskFull,
];

/// Copy of the plan.
const PLAN: &str = "plan.toml";
/// Request and progress.
const STATE: &str = "state.json";

/// Directory of a study, locked against other processes.
#[derive(Debug)]
pub struct StudyDir {
    path: PathBuf,
    _lock: FileLock,
}

impl StudyDir {
    /// Makes the directory of a new study, with a copy of its plan, or opens that of an earlier one to resume it.
    pub fn open(
        path: &Path,
        progress: &StudyProgress,
        plan: &str,
        resume: bool,
    ) -> anyhow::Result<(Self, StudyProgress)> {
        let shown = path.display();
        let made = trusted_directory(path, Some(0o700), Writers::Ours);
        made.with_context(|| {
            format!("cannot use the study's directory {shown}: choose a writable directory with --out DIR")
        })?;
        let dir = Self {
            path: path.to_owned(),
            _lock: lock(path)?,
        };
        match dir.progress()? {
            Saved::Nothing => {}
            Saved::Torn | Saved::Progress(_) if !resume => {
                bail!(UsageError(format!(
                    "{shown} already has a study: continue it with --resume, or choose another directory with --out DIR"
                )));
            }
            // The times and failures of earlier calls are lost, and the request is that of now. The copy of the plan may be
            // torn as well.
            Saved::Torn => dir.set_aside()?,
            Saved::Progress(earlier) => {
                let differs = progress.request.difference(&earlier.request);
                if let Some(what) = differs.or_else(|| dir.other_plan(plan)) {
                    bail!(UsageError(format!(
                        "{shown} has a study with {what}: repeat its arguments to resume it, or choose another directory with --out DIR"
                    )));
                }
                dir.write(PLAN, plan)?;
                let mut earlier = *earlier;
                // It may have more repeats than before.
                earlier.request.clone_from(&progress.request);
                return Ok((dir, earlier));
            }
        }
        dir.write(PLAN, plan)?;
        dir.save(progress)?;
        Ok((dir, progress.clone()))
    }

    /// Names the plan of the directory if it is another one. A beginning of this plan is a torn copy of it.
    fn other_plan(&self, plan: &str) -> Option<String> {
        let copy = self.input(PLAN, InputKind::Plan).unwrap_or_default();
        (!plan.as_bytes().starts_with(&copy)).then(|| "another plan.toml".to_owned())
    }

    /// Removes the progress of a study without any measurement, so that another study can use the directory.
    pub fn release_if_empty(&self) {
        if !self.path.join("cells").exists() && !self.path.join("turns.jsonl").exists() {
            // If the file stays, the next study reports that there is a study already.
            let _ = fs::remove_file(self.path.join(STATE));
        }
    }

    /// Returns the run directory of a measurement.
    pub(crate) fn run_dir(&self, cell: &Cell, measurement: &Measurement) -> PathBuf {
        let cells = self.path.join("cells").join(&cell.key);
        cells.join((measurement.repeat + 1).to_string())
    }

    /// Returns the document of a measurement, if it ended normally.
    pub(crate) fn measured(&self, cell: &Cell, measurement: &Measurement) -> Option<Document> {
        let dir = RunDir::open(&self.run_dir(cell, measurement)).ok()?;
        let document = read_document(&dir).ok()?;
        failure(&document).is_none().then_some(document)
    }

    /// Returns the file for the error log of one start of a server.
    pub(crate) fn server_log(&self, number: u32) -> anyhow::Result<PathBuf> {
        let servers = self.path.join("servers");
        fs::create_dir_all(&servers).with_context(|| format!("cannot make {}", servers.display()))?;
        Ok(servers.join(format!("{number}.log")))
    }

    /// Reads a file of the study.
    pub(crate) fn input(&self, name: &str, kind: InputKind) -> Result<Vec<u8>, InputError> {
        let file = InputDir::open(&self.path)?.file(Path::new(name), kind);
        file.and_then(InputFile::read_bytes)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn save(&self, progress: &StudyProgress) -> anyhow::Result<()> {
        self.write(STATE, &serde_json::to_string_pretty(progress)?)
    }

    /// Replaces the file of this name in one step.
    pub(crate) fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        private_file::replace_file(&self.path.join(name), text)
    }

    /// Reads the progress; `None` if there is no study.
    fn progress(&self) -> anyhow::Result<Saved> {
        let path = self.path.join(STATE);
        match self.input(STATE, InputKind::StudyState) {
            Err(error) if error.is_missing() && self.path.join("cells").exists() => Ok(Saved::Torn),
            Err(error) if error.is_missing() => Ok(Saved::Nothing),
            Err(InputError::NoText(_)) => Ok(Saved::Torn),
            read => {
                let text = read.with_context(|| format!("cannot read {}", path.display()))?;
                let state = StudyProgress::parse(&text);
                let state = state.with_context(|| format!("cannot use {}", path.display()))?;
                Ok(state.map_or(Saved::Torn, |state| Saved::Progress(Box::new(state))))
            }
        }
    }

    /// Sets an unreadable progress aside. The run directories alone tell what is measured.
    fn set_aside(&self) -> anyhow::Result<()> {
        let (torn, aside) = (self.path.join(STATE), self.path.join("state.json.torn"));
        match fs::rename(&torn, &aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot rename {}", torn.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Progress in a directory.
enum Saved {
    /// No study.
    Nothing,
    /// Study whose progress cannot be read.
    Torn,
    /// Study with its progress.
    Progress(Box<StudyProgress>),
}

/// Returns why a measurement has to be repeated, if it has to.
pub(crate) fn failure(document: &Document) -> Option<&str> {
    let mut caveats = document.caveats.iter();
    let caveat = caveats.find(|caveat| NOT_MEASURED.contains(&caveat.kind));
    caveat.map(|caveat| caveat.text.as_str())
}

fn lock(path: &Path) -> anyhow::Result<FileLock> {
    let name = path.join("lock");
    let file = private_file::open_lock(&name).with_context(|| format!("cannot make {}", name.display()))?;
    let lock = FileLock::acquire(file).with_context(|| format!("cannot lock {}", name.display()))?;
    lock.with_context(|| format!("another logtrace uses {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::measurement_order::measurement_order;
    use crate::plan::scale::Scale;
    use crate::runner::directory::request::tests::request;
    use crate::runner::plan_lookup::built_in;

    const PLAN_TEXT: &str = "name = \"slow-log\"\n";

    fn progress() -> StudyProgress {
        let mut progress = StudyProgress::new(request());
        progress.record("server=mysql", 1, Some("it failed".into()));
        progress
    }

    fn open(path: &Path, resume: bool) -> anyhow::Result<(StudyDir, StudyProgress)> {
        StudyDir::open(path, &progress(), PLAN_TEXT, resume)
    }

    #[test]
    fn a_study_is_resumed_after_a_cut_at_any_byte_of_its_files() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("study");
        drop(open(&path, false).unwrap());
        fs::create_dir_all(path.join("cells/server=mysql/1")).unwrap();
        for name in [STATE, PLAN] {
            let whole = fs::read(path.join(name)).unwrap();
            for length in 0..whole.len() {
                fs::write(path.join(name), &whole[..length]).unwrap();
                let (_, resumed) =
                    open(&path, true).unwrap_or_else(|error| panic!("{name} {length}: {error:#}"));
                assert_eq!(resumed, progress(), "{name} {length}");
                assert_eq!(fs::read(path.join(name)).unwrap(), whole, "{name} is whole again");
            }
        }
        fs::remove_file(path.join(STATE)).unwrap();
        assert!(open(&path, false).is_err(), "cells are a study");
        open(&path, true).unwrap();
    }

    #[test]
    fn a_measurement_whose_document_is_cut_at_any_byte_is_measured_again() {
        let document = fs::read_to_string("../report/tests/data/run-schema-1.json").unwrap();
        let plan = built_in().unwrap().remove(0);
        let cell = &plan.cells(Scale::Smoke)[0];
        let measurement = measurement_order(std::slice::from_ref(cell), 1)[0];
        let place = tempfile::tempdir().unwrap();
        let (dir, _) = open(place.path(), false).unwrap();
        let run = RunDir::replace(&dir.run_dir(cell, &measurement)).unwrap();
        assert!(dir.measured(cell, &measurement).is_none(), "no document");
        fs::write(run.run_json(), &document).unwrap();
        assert!(dir.measured(cell, &measurement).is_some());
        let text = document.trim_end();
        for length in (0..text.len()).filter(|&length| text.is_char_boundary(length)) {
            fs::write(run.run_json(), &text[..length]).unwrap();
            assert!(dir.measured(cell, &measurement).is_none(), "{length}");
        }
    }

    #[test]
    fn a_torn_state_is_a_study_and_is_set_aside() {
        let place = tempfile::tempdir().unwrap();
        drop(open(place.path(), false).unwrap());
        fs::write(place.path().join(STATE), "{\"asked\"").unwrap();
        let error = open(place.path(), false).unwrap_err();
        assert!(error.to_string().contains("--resume"), "{error}");
        open(place.path(), true).unwrap();
        assert_eq!(
            fs::read(place.path().join("state.json.torn")).unwrap(),
            b"{\"asked\""
        );
    }

    #[test]
    fn a_state_of_another_version_is_refused_and_one_without_a_number_is_not() {
        let place = tempfile::tempdir().unwrap();
        let (dir, _) = open(place.path(), false).unwrap();
        let text = fs::read_to_string(place.path().join(STATE)).unwrap();
        drop(dir);
        let numbered = |number: &str| text.replace("\"schema\": 1,", number);
        fs::write(place.path().join(STATE), numbered("")).unwrap();
        assert_eq!(open(place.path(), true).unwrap().1, progress());
        fs::write(place.path().join(STATE), numbered("\"schema\": 2,")).unwrap();
        let error = format!("{:#}", open(place.path(), true).unwrap_err());
        assert!(
            error.contains("schema 2") && error.contains("schema 1"),
            "{error}"
        );
    }
}
