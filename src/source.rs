//! Run that a command on results reads: its directory, or its page alone, as somebody sent it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use logtrace_attribution::breakdown::OverTime;
use logtrace_common::{InputFile, InputKind};
use logtrace_measure::run_dir::{RunDir, read_document, read_over_time};
use logtrace_report::document::Document;
use logtrace_report::render::read_page;

/// Run that is read.
pub(crate) enum Source {
    /// Run directory.
    Directory(RunDir),
    /// Page of a run: its document and its commits over time.
    Page(PathBuf),
}

impl Source {
    /// Opens a run directory, or notes the path of a page.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        match path.is_dir() || !path.exists() {
            true => RunDir::open(path).map(Self::Directory),
            false => Ok(Self::Page(path.to_owned())),
        }
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Directory(dir) => dir.path(),
            Self::Page(path) => path,
        }
    }

    /// Returns the path of a file that belongs to the run: in its directory, or beside its page.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        match self {
            Self::Directory(dir) => dir.path().join(name),
            Self::Page(path) => path.with_file_name(name),
        }
    }

    /// Reads its numbers.
    pub(crate) fn numbers(&self) -> anyhow::Result<(Document, Option<OverTime>)> {
        match self {
            Self::Directory(dir) => {
                let document = read_document(dir)?;
                let over_time = read_over_time(dir, &document)?;
                Ok((document, over_time))
            }
            Self::Page(path) => {
                let page = InputFile::open(path, InputKind::Page).and_then(InputFile::read_text);
                let page = page.with_context(|| format!("cannot read {}", path.display()))?;
                read_page(&page).with_context(|| format!("cannot understand the page {}", path.display()))
            }
        }
    }
}
