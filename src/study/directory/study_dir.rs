//! The directory of a study: what was asked, and a run directory for each turn.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::run_dir::RunDir;
use anyhow::{Context, bail};
use logtrace_report::document::Document;
use logtrace_report::render::parse_json;
use logtrace_study::{Cell, Turn};

use crate::exit::UsageError;
use crate::study::directory::progress_file::State;

/// Caveats of a turn that did not come to its end as it should: it is measured again.
const NOT_MEASURED: [&str; 4] = ["unfinished_run", "interrupted", "server_died", "disk_full"];

/// A copy of the plan.
const PLAN: &str = "plan.toml";
/// What was asked, and how far it is.
const STATE: &str = "state.json";

/// A study's directory; nobody else works in it meanwhile.
#[derive(Debug)]
pub(crate) struct StudyDir {
    path: PathBuf,
    _lock: File,
}

impl StudyDir {
    /// Makes the directory of a new study, with a copy of its plan, or opens that of an earlier one to go on with.
    pub(crate) fn open(
        path: &Path,
        state: &State,
        plan: &str,
        resume: bool,
    ) -> anyhow::Result<(Self, State)> {
        let shown = path.display();
        let made = DirBuilder::new().mode(0o700).recursive(true).create(path);
        made.with_context(|| {
            format!("cannot make the study's directory {shown}: choose a writable place with --out DIR")
        })?;
        let dir = Self {
            path: path.to_owned(),
            _lock: lock(path)?,
        };
        match dir.state()? {
            Some(_) if !resume => Err(UsageError(format!(
                "{shown} holds a study already: go on with it by --resume, or choose another place with --out DIR"
            ))
            .into()),
            Some(earlier) => {
                let is_same_text = fs::read_to_string(dir.path.join(PLAN)).is_ok_and(|text| text == plan);
                let differs = state.asked.differs(&earlier.asked);
                let differs = differs.or_else(|| (!is_same_text).then(|| "another plan.toml".to_owned()));
                if let Some(what) = differs {
                    bail!(UsageError(format!(
                        "{shown} holds a study with {what}: ask for the same to go on, or choose another place with --out DIR"
                    )));
                }
                Ok((dir, earlier))
            }
            None => {
                dir.write(PLAN, plan)?;
                dir.keep(state)?;
                Ok((dir, state.clone()))
            }
        }
    }

    /// Forgets a study of which no turn was tried, so that another can take its place.
    pub(crate) fn give_up(&self) {
        if !self.path.join("cells").exists() {
            // What stays is told as a study that is there already.
            let _ = fs::remove_file(self.path.join(STATE));
        }
    }

    /// Where a turn is kept.
    pub(crate) fn turn(&self, cell: &Cell, turn: &Turn) -> PathBuf {
        let cells = self.path.join("cells").join(&cell.key);
        cells.join((turn.repeat + 1).to_string())
    }

    /// What a turn came to, if it was measured to its end.
    pub(crate) fn measured(&self, cell: &Cell, turn: &Turn) -> Option<Document> {
        let dir = RunDir::open(&self.turn(cell, turn)).ok()?;
        let document = parse_json(&fs::read_to_string(dir.run_json()).ok()?).ok()?;
        failed(&document).is_none().then_some(document)
    }

    /// The file that servers of the study write to: all that one start of a server says.
    pub(crate) fn server_log(&self, number: u32) -> anyhow::Result<PathBuf> {
        let servers = self.path.join("servers");
        fs::create_dir_all(&servers).with_context(|| format!("cannot make {}", servers.display()))?;
        Ok(servers.join(format!("{number}.log")))
    }

    /// Writes the state.
    pub(crate) fn keep(&self, state: &State) -> anyhow::Result<()> {
        self.write(STATE, &serde_json::to_string_pretty(state)?)
    }

    /// Replaces the file of this name in one step.
    pub(crate) fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.path.join(name);
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let written = fs::write(&partial, text).and_then(|()| fs::rename(&partial, &path));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    fn state(&self) -> anyhow::Result<Option<State>> {
        let path = self.path.join(STATE);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => {
                let text = read.with_context(|| format!("cannot read {}", path.display()))?;
                let state = serde_json::from_str(&text);
                state
                    .with_context(|| {
                        format!(
                            "cannot understand {}: choose another place with --out DIR",
                            path.display()
                        )
                    })
                    .map(Some)
            }
        }
    }
}

/// Why a turn counts as not measured, if it does.
pub(crate) fn failed(document: &Document) -> Option<&str> {
    let mut caveats = document.caveats.iter();
    let caveat = caveats.find(|caveat| NOT_MEASURED.contains(&caveat.kind.as_str()));
    caveat.map(|caveat| caveat.text.as_str())
}

fn lock(path: &Path) -> anyhow::Result<File> {
    let name = path.join("lock");
    let file = File::create(&name).with_context(|| format!("cannot make {}", name.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!("another logtrace works in {}", path.display()),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", name.display()))
        }
    }
}
