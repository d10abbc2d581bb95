//! Programs of installed servers.

pub(crate) mod home;
pub(crate) mod identity;
pub(crate) mod os_user;
pub(crate) mod program_trust;
pub(crate) mod server_arg;
pub(crate) mod trusted_path;

use logtrace_common::{Flavor, parse_version_output};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::error::ServerError;
use crate::install::home::Home;
use crate::install::os_user::ServerUser;
use crate::process::brief_run::brief_output;

/// Directory into which `scripts/fetch-mysql` installs MySQL.
const FETCHED_MYSQL: &str = "/var/lib/logtrace/mysql/usr/sbin";

/// Directories of packaged servers that are not in every user's PATH.
const USUAL_DIRECTORIES: [&str; 4] = [
    "/usr/sbin",
    "/usr/local/mysql/bin",
    "/usr/libexec",
    "/usr/local/sbin",
];

/// Program of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// Absolute path without symbolic links.
    pub path: PathBuf,
    /// Flavor in the output of `--version`.
    pub flavor: Flavor,
    /// Version number, such as `9.7.4`.
    pub version: String,
}

/// Finds the installed server of a flavor. Without a flavor, finds MySQL if it is installed, else MariaDB.
pub fn find(flavor: Option<Flavor>, home: &Home) -> Result<Binary, ServerError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = directories(&path);
    let wanted = match flavor {
        Some(flavor) => vec![flavor],
        None => vec![Flavor::MySql, Flavor::MariaDb],
    };
    let found = wanted
        .into_iter()
        .find_map(|flavor| find_in(&directories, flavor, home));
    Ok(found.ok_or_else(|| not_found(flavor, &directories))?)
}

impl Binary {
    /// Reads flavor and version of a program from its `--version`, which runs as the user of private servers.
    pub fn inspect(path: &Path, home: &Home) -> Result<Self, ServerError> {
        let failed = || format!("cannot run {} --version (check --server)", path.display());
        let path = path.canonicalize().with_context(failed)?;
        let user = ServerUser::choose(home.user.as_deref()).with_context(failed)?;
        let text =
            brief_output(&path, &["--no-defaults", "--version"], user.run_as()).with_context(failed)?;
        match parse_version_output(&text) {
            Some((flavor, version)) => Ok(Self {
                path,
                flavor,
                version,
            }),
            None => {
                let output = text.lines().next().unwrap_or_default();
                let path = path.display();
                let text = "neither mysqld nor mariadbd";
                Err(anyhow!("{path} is {text}: --version printed {output:?}. Check --server").into())
            }
        }
    }

    /// Returns the prefix of the installation: `/usr` for `/usr/sbin/mysqld`.
    pub fn prefix(&self) -> &Path {
        self.path
            .parent()
            .and_then(Path::parent)
            .unwrap_or(Path::new("/"))
    }
}

/// Returns the directories to search, each once, in order.
fn directories(path: &OsStr) -> Vec<PathBuf> {
    let all = std::env::split_paths(path)
        .chain(std::iter::once(PathBuf::from(FETCHED_MYSQL)))
        .chain(USUAL_DIRECTORIES.iter().map(PathBuf::from));
    let mut unique = Vec::new();
    for directory in all.filter(|directory| directory.is_absolute()) {
        if !unique.contains(&directory) {
            unique.push(directory);
        }
    }
    unique
}

fn find_in(directories: &[PathBuf], flavor: Flavor, home: &Home) -> Option<Binary> {
    // A MariaDB of before 10.5, and MariaDB's compatibility link, are called mysqld.
    let names: &[&str] = match flavor {
        Flavor::MySql => &["mysqld"],
        Flavor::MariaDb => &["mariadbd", "mysqld"],
    };
    names
        .iter()
        .flat_map(|name| directories.iter().map(move |directory| directory.join(name)))
        .filter(|path| path.is_file())
        .filter_map(|path| Binary::inspect(&path, home).ok())
        .find(|binary| binary.flavor == flavor)
}

fn not_found(flavor: Option<Flavor>, directories: &[PathBuf]) -> anyhow::Error {
    let (wanted, remedy) = match flavor {
        Some(Flavor::MySql) => (
            "MySQL",
            "Run scripts/fetch-mysql, or name a binary with --server /path/to/mysqld",
        ),
        Some(Flavor::MariaDb) => (
            "MariaDB",
            "Run apt-get install mariadb-server, or name a binary with --server /path/to/mariadbd",
        ),
        None => (
            "MySQL or MariaDB",
            "Run scripts/fetch-mysql or apt-get install mariadb-server, or name a binary with --server PATH",
        ),
    };
    let list = path_list(directories);
    anyhow!("found no {wanted} server in {list}. {remedy}")
}

/// Returns the paths, separated by commas.
pub(crate) fn path_list(paths: &[PathBuf]) -> String {
    let words: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_looked_in_once_and_in_order() {
        let found = directories(OsStr::new("/usr/sbin:/opt/bin:.:/opt/bin"));
        let expected = [
            "/usr/sbin",
            "/opt/bin",
            FETCHED_MYSQL,
            "/usr/local/mysql/bin",
            "/usr/libexec",
            "/usr/local/sbin",
        ];
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn nothing_found_says_where_and_what_to_do() {
        let text = not_found(None, &["/usr/sbin".into(), "/opt/bin".into()]).to_string();
        for part in [
            "/usr/sbin, /opt/bin",
            "scripts/fetch-mysql",
            "apt-get install mariadb-server",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_program_that_is_no_server_is_refused() {
        let refused = |path| {
            Binary::inspect(Path::new(path), &Home::default())
                .unwrap_err()
                .to_string()
        };
        assert!(refused("/bin/true").contains("neither mysqld nor mariadbd"));
        assert!(refused("/no/such/mysqld").contains("cannot run /no/such/mysqld"));
    }

    #[test]
    fn an_empty_directory_holds_no_server() {
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(
            find_in(&[empty.path().into()], Flavor::MySql, &Home::default()),
            None
        );
    }
}
