//! Log file of a server, and the lines in it that explain a failure.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::error::ServerError;

/// Flags of a log that is opened: a link is not followed, a FIFO does not block.
const NO_LINK: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Largest number of lines in an error.
const MAX_LINES: usize = 6;

/// Largest part of a log that is read at once.
const MOST_NEWS: u64 = 1 << 20;

/// Bytes that two parts of a log share: more than the longest wording that is looked for.
const OVERLAP: u64 = 128;

/// Log file of a server, with the position at which the present start begins.
#[derive(Debug)]
pub(crate) struct ServerLog {
    pub(crate) path: PathBuf,
    file: File,
    start: u64,
}

impl ServerLog {
    /// Opens the log for appending.
    pub(crate) fn open(path: &Path) -> Result<Self, ServerError> {
        let fail = || ServerError::directory("open", path);
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(NO_LINK.bits().cast_signed())
            .open(path)
            .map_err(fail())?;
        Ok(Self {
            path: path.to_owned(),
            start: file.seek(SeekFrom::End(0)).map_err(fail())?,
            file,
        })
    }

    /// Returns a handle that a process can write to.
    pub(crate) fn writer(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Starts to read what is written from now on.
    pub(crate) fn follow(&self) -> LogFollower {
        LogFollower {
            path: self.path.clone(),
            start: self.start,
            read: self.start,
        }
    }

    /// Returns the text that was written since the log was opened, or an empty text if it cannot be read.
    pub(crate) fn text(&self) -> String {
        let read = || {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(self.start))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok::<_, io::Error>(bytes)
        };
        String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
    }
}

/// Reader of what is written to a log, each part once.
#[derive(Debug)]
pub(crate) struct LogFollower {
    path: PathBuf,
    start: u64,
    /// Position up to which the log was read.
    read: u64,
}

impl LogFollower {
    /// Returns the text since the last call, at most [`MOST_NEWS`], with the end of the text before: a word may be in both. It is
    /// empty if the log cannot be read.
    pub(crate) fn news(&mut self) -> String {
        let from = self.read.saturating_sub(OVERLAP).max(self.start);
        let read = || {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(MOST_NEWS).read_to_end(&mut bytes)?;
            Ok::<_, io::Error>(bytes)
        };
        let bytes = read().unwrap_or_default();
        self.read = self.read.max(from + bytes.len() as u64);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Returns the first lines of a tool's output. They name the error; help on usage follows.
pub(crate) fn first_lines(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.take(MAX_LINES).map(str::to_owned).collect()
}

/// Returns the last lines with errors, or the last lines if there are no errors.
pub(crate) fn error_lines(text: &str) -> Vec<String> {
    // Without a bracket: MariaDB's initialisation, about a statement of its own.
    let speaks_of_error = |line: &&str| line.contains("[ERROR]") || line.contains("ERROR: ");
    let errors: Vec<&str> = text.lines().filter(speaks_of_error).collect();
    let lines = if errors.is_empty() {
        text.lines().filter(|line| !line.trim().is_empty()).collect()
    } else {
        errors
    };
    let skipped = lines.len().saturating_sub(MAX_LINES);
    lines.into_iter().skip(skipped).map(str::to_owned).collect()
}

/// Returns the variable that the server does not know (`unknown variable 'x=1'`, `unknown option '--x'`).
pub(crate) fn unknown_variable(text: &str) -> Option<String> {
    let line = text
        .lines()
        .find(|line| line.contains("[ERROR]") && line.contains("unknown "))?;
    let (_, after) = line
        .split_once("unknown variable '")
        .or_else(|| line.split_once("unknown option '"))?;
    let name = after.split(['=', '\'']).next()?;
    Some(name.trim_start_matches('-').replace('-', "_"))
}

/// Returns whether the server ran out of disk space (error 28, in the wordings of both servers).
pub(crate) fn disk_is_full(text: &str) -> bool {
    const WORDINGS: [&str; 10] = [
        "No space left on device",
        "Disk is full writing",
        "disk is full",
        "Disk full",
        "out of disk space",
        "failed with error 28",
        "error number 28 ",
        "Errcode: 28 ",
        "errno: 28 ",
        "OS error: 28",
    ];
    WORDINGS.iter().any(|wording| text.contains(wording))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const MYSQL: &str = "\
2026-11-21T08:24:39.7Z 0 [System] [MY-010116] [Server] /usr/sbin/mysqld (mysqld 9.7.4-2) starting as process 1
2026-11-21T08:24:40.1Z 0 [ERROR] [MY-000067] [Server] unknown variable 'sync-binlgo=1'.
2026-11-21T08:24:40.2Z 0 [ERROR] [MY-010119] [Server] Aborting
2026-11-21T08:24:40.3Z 0 [System] [MY-010910] [Server] Shutdown complete (mysqld 9.7.4-2)
";

    #[test]
    fn errors_tell_more_than_other_lines() {
        let lines = error_lines(MYSQL);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.contains("[ERROR]")));
        assert_eq!(error_lines("a\n\nb\n"), ["a", "b"]);
        let many: String = (0..20).map(|n| format!("line {n}\n")).collect();
        assert_eq!(error_lines(&many).last().unwrap(), "line 19");
        assert_eq!(error_lines(&many).len(), MAX_LINES);
    }

    #[test]
    fn an_unknown_variable_is_named() {
        assert_eq!(unknown_variable(MYSQL).as_deref(), Some("sync_binlgo"));
        let mariadb = "2026-11-21 8:24:40 0 [ERROR] /usr/sbin/mariadbd: unknown variable 'no-such=1'";
        assert_eq!(unknown_variable(mariadb).as_deref(), Some("no_such"));
        let option = "2026-11-21 8:24:40 0 [ERROR] mariadbd: unknown option '--skip-thing'";
        assert_eq!(unknown_variable(option).as_deref(), Some("skip_thing"));
        assert_eq!(unknown_variable("[ERROR] unknown collation"), None);
        assert_eq!(unknown_variable("[Warning] unknown variable 'loose-x=1'"), None);
    }

    #[test]
    fn a_full_disk_is_recognised() {
        assert!(disk_is_full("[ERROR] mariadbd: Disk full (/x/y.MAI); waiting"));
        assert!(disk_is_full(
            "Operating system error number 28 in a file operation."
        ));
        assert!(!disk_is_full(MYSQL));
    }

    #[test]
    fn only_what_this_start_wrote_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("server.log");
        std::fs::write(&path, "[ERROR] of yesterday\n").unwrap();
        let log = ServerLog::open(&path).unwrap();
        assert_eq!(log.text(), "");
        log.writer().unwrap().write_all(b"today\n").unwrap();
        assert_eq!(log.text(), "today\n");
    }

    #[test]
    fn each_part_of_a_log_is_read_once_and_words_across_two_parts_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("server.log");
        std::fs::write(&path, "of yesterday: disk is full\n").unwrap();
        let log = ServerLog::open(&path).unwrap();
        let (mut follower, mut writer) = (log.follow(), log.writer().unwrap());
        assert_eq!(follower.news(), "");
        writer.write_all(&[b'x'; 100_000]).unwrap();
        assert_eq!(follower.news().len(), 100_000);
        writer.write_all(b"No space le").unwrap();
        assert!(!disk_is_full(&follower.news()));
        writer.write_all(b"ft on device").unwrap();
        let news = follower.news();
        assert!(disk_is_full(&news) && news.len() < 300, "{} bytes", news.len());
        writer.write_all(&vec![b'x'; 3 << 20]).unwrap();
        assert!(follower.news().len() as u64 <= MOST_NEWS);
    }
}
