//! Directory of a study: its request, its progress, and a run directory for each measurement.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use logtrace_report::document::Document;
use logtrace_report::render::parse_json;
use logtrace_study::{Cell, Measurement};

use crate::exit::UsageError;
use crate::private_file;
use crate::run_dir::RunDir;
use crate::study::directory::progress_file::Progress;

/// Caveats of a measurement that did not end normally and has to be repeated.
const NOT_MEASURED: [&str; 4] = ["unfinished_run", "interrupted", "server_died", "disk_full"];

/// Copy of the plan.
const PLAN: &str = "plan.toml";
/// Request and progress.
const STATE: &str = "state.json";

/// Directory of a study, locked against other processes.
#[derive(Debug)]
pub(crate) struct StudyDir {
    path: PathBuf,
    _lock: File,
}

impl StudyDir {
    /// Makes the directory of a new study, with a copy of its plan, or opens that of an earlier one to resume it.
    pub(crate) fn open(
        path: &Path,
        progress: &Progress,
        plan: &str,
        resume: bool,
    ) -> anyhow::Result<(Self, Progress)> {
        let shown = path.display();
        let made = DirBuilder::new().mode(0o700).recursive(true).create(path);
        made.with_context(|| {
            format!("cannot make the study's directory {shown}: choose a writable directory with --out DIR")
        })?;
        let dir = Self {
            path: path.to_owned(),
            _lock: lock(path)?,
        };
        match dir.progress()? {
            Some(_) if !resume => Err(UsageError(format!(
                "{shown} already has a study: continue it with --resume, or choose another directory with --out DIR"
            ))
            .into()),
            Some(earlier) => {
                let is_same_text = fs::read_to_string(dir.path.join(PLAN)).is_ok_and(|text| text == plan);
                let differs = progress.request.difference(&earlier.request);
                let differs = differs.or_else(|| (!is_same_text).then(|| "another plan.toml".to_owned()));
                if let Some(what) = differs {
                    bail!(UsageError(format!(
                        "{shown} has a study with {what}: repeat its arguments to resume it, or choose another directory with --out DIR"
                    )));
                }
                Ok((dir, earlier))
            }
            None => {
                dir.write(PLAN, plan)?;
                dir.save(progress)?;
                Ok((dir, progress.clone()))
            }
        }
    }

    /// Removes the progress of a study without any measurement, so that another study can use the directory.
    pub(crate) fn release_if_empty(&self) {
        if !self.path.join("cells").exists() {
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
        let document = parse_json(&fs::read_to_string(dir.run_json()).ok()?).ok()?;
        failure(&document).is_none().then_some(document)
    }

    /// Returns the file for the error log of one start of a server.
    pub(crate) fn server_log(&self, number: u32) -> anyhow::Result<PathBuf> {
        let servers = self.path.join("servers");
        fs::create_dir_all(&servers).with_context(|| format!("cannot make {}", servers.display()))?;
        Ok(servers.join(format!("{number}.log")))
    }

    /// Writes the progress.
    pub(crate) fn save(&self, progress: &Progress) -> anyhow::Result<()> {
        self.write(STATE, &serde_json::to_string_pretty(progress)?)
    }

    /// Replaces the file of this name in one step.
    pub(crate) fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        private_file::replace_file(&self.path.join(name), text)
    }

    fn progress(&self) -> anyhow::Result<Option<Progress>> {
        let path = self.path.join(STATE);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => {
                let text = read.with_context(|| format!("cannot read {}", path.display()))?;
                let state = serde_json::from_str(&text);
                state
                    .with_context(|| {
                        format!(
                            "cannot parse {}: choose another directory with --out DIR",
                            path.display()
                        )
                    })
                    .map(Some)
            }
        }
    }
}

/// Returns why a measurement has to be repeated, if it has to.
pub(crate) fn failure(document: &Document) -> Option<&str> {
    let mut caveats = document.caveats.iter();
    let caveat = caveats.find(|caveat| NOT_MEASURED.contains(&caveat.kind.as_str()));
    caveat.map(|caveat| caveat.text.as_str())
}

fn lock(path: &Path) -> anyhow::Result<File> {
    let name = path.join("lock");
    let file = File::create(&name).with_context(|| format!("cannot make {}", name.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!("another logtrace uses {}", path.display()),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", name.display()))
        }
    }
}
