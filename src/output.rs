//! Place of a result: the standard output, or a file.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use logtrace_common::inert;
use logtrace_measure::{private_file, say};
use logtrace_server::{Writers, trusted_directory};

use crate::handover::hand_over_file;

/// Place of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Standard output.
    Stdout,
    /// File, which is replaced once the result is complete.
    File(PathBuf),
}

/// Open place of a result.
pub(crate) enum OpenPlace {
    Stdout(io::Stdout),
    File(File),
}

impl Write for OpenPlace {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::File(file) => file.flush(),
        }
    }
}

impl Place {
    /// Returns the place that `--out` names, or the usual one without it. `-` is the standard output.
    pub(crate) fn new(out: Option<&Path>, usual: Self) -> Self {
        match out {
            Some(path) if path == Path::new("-") => Self::Stdout,
            Some(path) => Self::File(path.to_owned()),
            None => usual,
        }
    }

    /// Returns whether a person sees what is written.
    pub(crate) fn is_terminal(&self) -> bool {
        *self == Self::Stdout && io::stdout().is_terminal()
    }

    /// Writes a text; all but text and the styles of a report is left out.
    pub(crate) fn print(&self, text: &str) -> anyhow::Result<()> {
        self.write(|mut sink| write_text(&mut sink, text).context("cannot write the result"))
    }

    /// Writes what `work` writes. A file appears when all of it is written, and stderr says where it is.
    pub(crate) fn write<T>(&self, work: impl FnOnce(OpenPlace) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let Self::File(path) = self else {
            return work(OpenPlace::Stdout(io::stdout()));
        };
        let failed = || {
            format!(
                "cannot write {} (choose a writable place with --out PATH)",
                path.display()
            )
        };
        let new = NewFile::beside(path).with_context(failed)?;
        let file = private_file::create_file(&new.partial).with_context(failed)?;
        let done = work(OpenPlace::File(file))
            .and_then(|done| new.complete().with_context(failed).map(|()| done))
            .inspect_err(|_| new.discard())?;
        say::line(&format!("written to {}", path.display()));
        Ok(done)
    }
}

/// Writes a text; all but text and the styles of a report is left out. A pipe that the reader closed early (`| head`) is no error.
pub(crate) fn write_text(to: &mut impl Write, text: &str) -> io::Result<()> {
    let written = to.write_all(inert::terminal(text).as_bytes());
    match written.and_then(|()| to.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// File that is not complete.
struct NewFile {
    path: PathBuf,
    partial: PathBuf,
}

impl NewFile {
    /// Returns the file at a path. Refuses what is there and no regular file, such as a device, and under root a directory
    /// that others could lead elsewhere.
    fn beside(path: &Path) -> anyhow::Result<Self> {
        let Some(name) = path.file_name() else {
            bail!("it names no file");
        };
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            bail!("something else than a regular file has this name");
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = trusted_directory(parent.unwrap_or(Path::new(".")), None, Writers::OthersIfSticky)?;
        let mut partial = name.to_owned();
        partial.push(".partial");
        Ok(Self {
            path: parent.join(name),
            partial: parent.join(partial),
        })
    }

    /// Gives the file its name, and to the user who ran sudo.
    fn complete(&self) -> io::Result<()> {
        hand_over_file(&self.partial)?;
        fs::rename(&self.partial, &self.path)
    }

    fn discard(&self) {
        // The error that brought us here is the one to report.
        let _ = fs::remove_file(&self.partial);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_minus_is_the_standard_output_and_nothing_the_usual_place() {
        let usual = Place::File("run/commits.parquet".into());
        assert_eq!(Place::new(None, usual.clone()), usual);
        assert_eq!(Place::new(Some(Path::new("-")), usual.clone()), Place::Stdout);
        let named = Place::new(Some(Path::new("a/b")), usual);
        assert_eq!(named, Place::File("a/b".into()));
        assert!(!named.is_terminal());
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("report.md");
        let out = Place::File(path.clone());
        out.print("first\x1b[2J\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first [2J\n");
        let failed = out.write(|mut sink| {
            sink.write_all(b"half")?;
            Err::<(), _>(anyhow!("the rest is missing"))
        });
        assert!(failed.unwrap_err().to_string().contains("the rest is missing"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "first [2J\n");
        out.print("second\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second\n");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn nothing_but_a_file_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::create_dir(path("directory")).unwrap();
        fs::write(path("precious"), "precious").unwrap();
        symlink(path("precious"), path("link")).unwrap();
        for name in ["directory", "link", "missing/file"] {
            let error = format!("{:#}", Place::File(path(name)).print("text").unwrap_err());
            assert!(error.contains(name) && error.contains("--out PATH"), "{error}");
        }
        assert_eq!(fs::read_to_string(path("precious")).unwrap(), "precious");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 3);
    }
}
