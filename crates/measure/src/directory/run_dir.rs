//! Run directory: all files of one run.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufReader};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use jiff::ZonedDateTime;
use logtrace_attribution::breakdown::{OverTime, StackTotals, Whole};
use logtrace_common::{InputDir, InputError, InputFile, InputKind};
use logtrace_events::{RecordingReader, RequestsOfRun};
use logtrace_report::document::Document;
use logtrace_report::parse_json;
use logtrace_report::render::parse_folded;
use logtrace_server::{Writers, trusted_directory};

use crate::directory::private_file;

/// Run directory and the names of its files. The directory has mode 0700 and files 0600, because statements and
/// variables of a server are private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir {
    path: PathBuf,
}

impl RunDir {
    /// Creates `PARENT/STARTTIME-WORKLOAD`, with a number appended if that exists.
    pub fn create(parent: &Path, started: &ZonedDateTime, workload: &str) -> anyhow::Result<Self> {
        Self::create_named(
            parent,
            &format!("{}-{workload}", started.strftime("%Y%m%d-%H%M%S")),
        )
    }

    /// Creates `PARENT/NAME`, with a number appended if that exists. Refuses a parent in which others could replace it.
    pub fn create_named(parent: &Path, name: &str) -> anyhow::Result<Self> {
        trusted_directory(parent, Some(0o700), Writers::OthersIfSticky)
            .with_context(|| create_error(parent))?;
        let mut path = parent.join(name);
        for number in 2.. {
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    path = parent.join(format!("{name}-{number}"));
                }
                created => {
                    created.with_context(|| create_error(&path))?;
                    break;
                }
            }
        }
        Ok(Self { path })
    }

    /// Creates the run directory `path`. Removes an existing one first.
    pub fn replace(path: &Path) -> anyhow::Result<Self> {
        let made = match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => DirBuilder::new().mode(0o700).recursive(true).create(path),
        };
        made.map(|()| Self { path: path.into() })
            .with_context(|| create_error(path))
    }

    /// Opens an existing run directory.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let dir = Self { path: path.into() };
        let shown = path.display();
        match dir.input(RUN_JSON, InputKind::Document) {
            Ok(_) => Ok(dir),
            Err(error) if error.is_denied() => bail!(
                "cannot read the run directory {shown}: {}, or with sudo",
                closed(path)
            ),
            Err(error) if error.is_missing() || !path.is_dir() => bail!(
                "{shown} is not a run directory: it holds no run.json. A run that is killed before its server is ready \
                 leaves none"
            ),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", dir.run_json().display())),
        }
    }

    /// Opens a file of the run directory for reading. Links are not followed.
    pub fn input(&self, name: &str, kind: InputKind) -> Result<InputFile, InputError> {
        InputDir::open(&self.path)?.file(Path::new(name), kind)
    }

    /// Opens a file of the run directory for reading, unless it does not exist.
    pub fn input_if_there(&self, name: &str, kind: InputKind) -> anyhow::Result<Option<InputFile>> {
        match self.input(name, kind) {
            Err(error) if error.is_missing() => Ok(None),
            opened => opened.map(Some).with_context(|| self.unreadable(name)),
        }
    }

    /// Reads a text of the run directory, unless it does not exist.
    fn text_if_there(&self, name: &str, kind: InputKind) -> anyhow::Result<Option<String>> {
        let file = self.input_if_there(name, kind)?;
        file.map(InputFile::read_text)
            .transpose()
            .with_context(|| self.unreadable(name))
    }

    /// Reads a text of the run directory.
    pub fn text(&self, name: &str, kind: InputKind) -> anyhow::Result<String> {
        let text = self.input(name, kind).and_then(InputFile::read_text);
        text.with_context(|| self.unreadable(name))
    }

    fn unreadable(&self, name: &str) -> String {
        format!("cannot read {}", self.path.join(name).display())
    }

    /// Creates or empties a file of the run directory.
    pub fn create_file(&self, name: &str) -> io::Result<File> {
        private_file::create_file(&self.path.join(name))
    }

    /// Copies a file of another run directory, if there is one: the bytes that a reader of it would see.
    pub fn copy(&self, from: &Self, name: &str, kind: InputKind) -> anyhow::Result<()> {
        let Some(mut file) = from.input_if_there(name, kind)? else {
            return Ok(());
        };
        let copied = self
            .create_file(name)
            .and_then(|mut to| io::copy(&mut file, &mut to));
        copied
            .map(drop)
            .with_context(|| format!("cannot copy {}", from.path.join(name).display()))
    }

    /// Replaces a file of the run directory in one step.
    pub fn write(&self, name: &str, contents: &str) -> anyhow::Result<()> {
        private_file::replace_file(&self.path.join(name), contents)
    }

    /// Path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of the document.
    pub fn run_json(&self) -> PathBuf {
        self.path.join(RUN_JSON)
    }

    /// Path of the page.
    pub fn report_html(&self) -> PathBuf {
        self.path.join("report.html")
    }

    /// Returns the path of the due times of requests.
    pub fn arrivals_txt(&self) -> PathBuf {
        self.path.join(ARRIVALS)
    }

    /// Returns the path of the saved requests.
    pub fn requests_bin(&self) -> PathBuf {
        self.path.join(REQUESTS)
    }

    /// Returns the path of the saved trace records.
    pub fn records_bin(&self) -> PathBuf {
        self.path.join(RECORDS)
    }

    /// Path of the private server's error log.
    pub fn server_log(&self) -> PathBuf {
        self.path.join("server.log")
    }
}

/// Returns why a directory cannot be entered, and who can read it.
fn closed(path: &Path) -> String {
    match fs::metadata(path) {
        Ok(found) => format!(
            "it belongs to user {user} and has mode {:o}. Read it as user {user}",
            found.mode() & 0o7777,
            user = found.uid()
        ),
        Err(_) => "a directory on its path may not be entered by this user. Read it as its owner".to_owned(),
    }
}

fn create_error(path: &Path) -> String {
    format!(
        "cannot create the run directory {} (choose a writable place with --out DIR)",
        path.display()
    )
}

/// Results of a run, as reports show them.
#[derive(Debug)]
pub struct RunResults {
    /// `run.json`.
    pub document: Document,
    /// Folded stacks.
    pub stacks: StackTotals,
    /// Commits and requests over time; `None` for a run of an older version.
    pub over_time: Option<OverTime>,
}

impl RunResults {
    /// Reads the results of a run directory.
    pub fn read(dir: &RunDir) -> anyhow::Result<Self> {
        let document = read_document(dir)?;
        Ok(Self {
            stacks: read_stacks(dir)?,
            over_time: read_over_time(dir, &document)?,
            document,
        })
    }
}

pub(crate) const RUN_JSON: &str = "run.json";
/// Name of the file with the commits over time.
pub const OVER_TIME: &str = "over-time.json";
/// Name of the file with the due times of requests.
pub const ARRIVALS: &str = "arrivals.txt";
/// Name of the file with the saved requests.
pub const REQUESTS: &str = "requests.bin";
/// Name of the recording.
pub const RECORDS: &str = "records.bin";

/// Limit on requests in `requests.bin` beyond those that `run.json` counts.
const MORE_REQUESTS: u64 = 1 << 16;

/// Returns the names of the files with folded stacks and with their flame graph.
pub fn stack_files(whole: Whole) -> (&'static str, &'static str) {
    match whole {
        Whole::Commit => ("commits.folded", "flamegraph.svg"),
        Whole::Response => ("response.folded", "response.svg"),
        Whole::Statement => ("statements.folded", "statements.svg"),
    }
}

/// Reads the folded stacks of a run.
fn read_stacks(dir: &RunDir) -> anyhow::Result<StackTotals> {
    let mut stacks = StackTotals::default();
    for whole in Whole::ALL {
        let name = stack_files(whole).0;
        // A run without tracing has no stacks.
        let Some(text) = dir.text_if_there(name, InputKind::Folded)? else {
            continue;
        };
        *stacks.of_mut(whole) = parse_folded(whole, &text).with_context(|| strange(dir, name))?;
    }
    Ok(stacks)
}

/// Reads the results of a run.
pub fn read_document(dir: &RunDir) -> anyhow::Result<Document> {
    let text = dir.text(RUN_JSON, InputKind::Document)?;
    parse_json(&text).with_context(|| strange(dir, RUN_JSON))
}

/// Reads the commits and requests of a run over time. A run of an older version has none.
pub fn read_over_time(dir: &RunDir, document: &Document) -> anyhow::Result<Option<OverTime>> {
    let Some(text) = dir.text_if_there(OVER_TIME, InputKind::OverTime)? else {
        return Ok(None);
    };
    let over_time = OverTime::parse(&text, document.sums());
    over_time.map(Some).with_context(|| strange(dir, OVER_TIME))
}

/// Reads the requests of a run; `None` if they were not recorded.
pub fn read_requests(dir: &RunDir, document: &Document) -> anyhow::Result<Option<RequestsOfRun>> {
    let Some(file) = dir.input_if_there(REQUESTS, InputKind::Requests)? else {
        return Ok(None);
    };
    // A run that was killed has counted none.
    let counted = document.driver.as_ref().map_or(0, |driver| driver.requests);
    let most = match counted {
        0 => u64::MAX,
        counted => counted.saturating_add(MORE_REQUESTS),
    };
    let requests = RequestsOfRun::read(BufReader::new(file), most);
    requests.map(Some).with_context(|| strange(dir, REQUESTS))
}

/// Reads facts or figures of a run; `None` if it has none, or none that can be read.
pub fn read_facts(run_dir: &Path, name: &str) -> Option<String> {
    let dir = RunDir { path: run_dir.into() };
    dir.text(name, InputKind::Facts).ok()
}

/// Recording of a run directory.
pub type RunRecording = RecordingReader<BufReader<InputFile>>;

/// Opens the recording of a run, if there is one.
pub fn open_recording(dir: &RunDir) -> anyhow::Result<Option<RunRecording>> {
    let Some(file) = dir.input_if_there(RECORDS, InputKind::Recording)? else {
        return Ok(None);
    };
    let recording = RecordingReader::new(BufReader::with_capacity(1 << 20, file));
    recording.map(Some).with_context(|| strange(dir, RECORDS))
}

fn strange(dir: &RunDir, name: &str) -> String {
    format!("cannot understand {}", dir.path.join(name).display())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn two_runs_of_one_second_get_directories_of_their_own() {
        let parent = tempfile::tempdir().unwrap();
        let now = ZonedDateTime::now();
        let first = RunDir::create(parent.path(), &now, "insert").unwrap();
        let second = RunDir::create(parent.path(), &now, "insert").unwrap();
        assert_ne!(first, second);
        assert_eq!(
            first.path().metadata().unwrap().permissions().mode() & 0o777,
            0o700
        );
    }

    #[test]
    fn what_was_in_a_directory_that_is_replaced_is_gone() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("cells/a/1");
        for _ in 0..2 {
            let dir = RunDir::replace(&path).unwrap();
            assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
            dir.write("run.json", "old").unwrap();
        }
    }

    #[test]
    fn no_copy_follows_a_link() {
        let parent = tempfile::tempdir().unwrap();
        let path = |name: &str| parent.path().join(name);
        let (from, to) = (
            RunDir::replace(&path("a")).unwrap(),
            RunDir::replace(&path("b")).unwrap(),
        );
        fs::write(path("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(path("secret"), path("a/link")).unwrap();
        fs::write(path("a/file"), "text").unwrap();
        let error = to.copy(&from, "link", InputKind::Arrivals).unwrap_err();
        assert!(format!("{error:#}").contains("a/link: it is a link"), "{error:#}");
        assert!(!path("b/link").exists());
        to.copy(&from, "file", InputKind::Arrivals).unwrap();
        to.copy(&from, "missing", InputKind::Arrivals).unwrap();
        assert_eq!(fs::read(path("b/file")).unwrap(), b"text");
    }

    #[test]
    fn a_directory_without_a_run_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let error = RunDir::open(parent.path()).unwrap_err();
        assert!(error.to_string().contains("is not a run directory"), "{error}");
    }

    mod needs_root {
        use super::*;

        #[test]
        fn a_directory_that_may_not_be_entered_names_its_owner() {
            use rustix::process::Uid;
            let parent = tempfile::tempdir().unwrap();
            fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o755)).unwrap();
            let path = parent.path().join("run");
            RunDir::replace(&path).unwrap().write("run.json", "{}").unwrap();
            let error = |path: PathBuf| {
                let as_nobody = move || {
                    // Of this thread alone.
                    rustix::thread::set_thread_uid(Uid::from_raw(65_534)).unwrap();
                    RunDir::open(&path).unwrap_err().to_string()
                };
                std::thread::spawn(as_nobody).join().unwrap()
            };
            let text = error(path.clone());
            assert!(
                text.contains("belongs to user 0 and has mode 700. Read it as user 0, or with sudo"),
                "{text}"
            );
            RunDir::replace(&path.join("closed")).unwrap();
            let text = error(path.join("closed"));
            assert!(
                text.contains("a directory on its path may not be entered"),
                "{text}"
            );
        }
    }
}
