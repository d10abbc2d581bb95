//! Command lines of a private instance.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::install::Binary;
use crate::instance::install_script::install_script;
use crate::settings::argument;
use logtrace_common::{Flavor, Variable};

/// Directories of plugins under the prefix of an installation, by packaging.
const PLUGIN_DIRECTORIES: [&str; 3] = ["lib/mysql/plugin", "lib64/mysql/plugin", "lib/plugin"];

/// Directories of messages under the prefix of an installation.
const MESSAGE_DIRECTORIES: [&str; 2] = ["share/mysql", "share"];

/// Paths of one instance, as its server sees them.
#[derive(Clone, Debug)]
pub(crate) struct InstancePaths {
    pub(crate) data: PathBuf,
    pub(crate) tmp: PathBuf,
    pub(crate) socket: PathBuf,
}

/// Returns the arguments that start the server. It also listens at an address, if there is one.
pub(crate) fn start(
    binary: &Binary,
    places: &InstancePaths,
    listen: Option<SocketAddr>,
    settings: &[Variable],
) -> Vec<OsString> {
    let mut arguments = installation(binary);
    arguments.extend([
        option("--datadir=", &places.data),
        option("--tmpdir=", &places.tmp),
        option("--socket=", &places.socket),
    ]);
    match listen {
        Some(address) => arguments.extend([
            "--skip-networking=OFF".into(),
            format!("--bind-address={}", address.ip()).into(),
            format!("--port={}", address.port()).into(),
        ]),
        None => arguments.push("--skip-networking=ON".into()),
    }
    if binary.flavor == Flavor::MySql {
        // The X protocol would open a socket of its own.
        arguments.extend(["--loose-mysqlx=OFF".into(), "--secure-file-priv=NULL".into()]);
    }
    arguments.extend(settings.iter().map(|setting| argument(setting).into()));
    arguments
}

/// Returns the program and arguments that initialise a data directory. `tmp` must be a separate directory: a MariaDB
/// that starts removes all temporary tables in its directory, which by default is the shared `/tmp`. Fails with the remedy
/// if an installation has no program that does it.
pub(crate) fn initialise(
    binary: &Binary,
    data: &Path,
    tmp: &Path,
    settings: &[Variable],
) -> anyhow::Result<(PathBuf, Vec<OsString>)> {
    let (program, mut arguments) = match binary.flavor {
        Flavor::MySql => {
            let mut arguments = installation(binary);
            arguments.push("--initialize-insecure".into());
            (binary.path.clone(), arguments)
        }
        Flavor::MariaDb => (install_script(binary.prefix())?, mariadb_install(binary)),
    };
    arguments.extend([option("--datadir=", data), option("--tmpdir=", tmp)]);
    arguments.extend(settings.iter().map(|setting| argument(setting).into()));
    Ok((program, arguments))
}

fn mariadb_install(binary: &Binary) -> Vec<OsString> {
    vec![
        "--no-defaults".into(),
        option("--basedir=", binary.prefix()),
        // Without it, a machine that cannot look up its own name gets no data directory.
        "--force".into(),
        "--auth-root-authentication-method=normal".into(),
        "--skip-test-db".into(),
    ]
}

/// Returns arguments for the directories of the installation, which may be anywhere. Directories that are not found
/// keep the compiled-in default.
fn installation(binary: &Binary) -> Vec<OsString> {
    let prefix = binary.prefix();
    let mut arguments = vec!["--no-defaults".into(), option("--basedir=", prefix)];
    if let Some(messages) = first_in(prefix, &MESSAGE_DIRECTORIES, "english/errmsg.sys") {
        arguments.push(option("--lc-messages-dir=", &messages));
    }
    if let Some(plugins) = first_in(prefix, &PLUGIN_DIRECTORIES, "") {
        arguments.push(option("--plugin-dir=", &plugins));
    }
    arguments
}

fn first_in(prefix: &Path, directories: &[&str], holding: &str) -> Option<PathBuf> {
    directories
        .iter()
        .map(|directory| prefix.join(directory))
        .find(|directory| directory.join(holding).exists())
}

fn option(name: &str, value: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(value);
    option
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn binary(flavor: Flavor, prefix: &Path) -> Binary {
        Binary {
            path: prefix.join("sbin/mysqld"),
            flavor,
            version: "1.2.3".into(),
        }
    }

    #[test]
    fn a_started_server_is_reached_by_its_socket_alone() {
        let places = InstancePaths {
            data: "/i/data".into(),
            tmp: "/i/tmp".into(),
            socket: "/i/sock".into(),
        };
        let settings = [Variable::new("sync_binlog", "0")];
        for flavor in [Flavor::MySql, Flavor::MariaDb] {
            let binary = binary(flavor, Path::new("/nowhere"));
            let arguments = start(&binary, &places, None, &settings);
            assert_eq!(
                arguments[0], "--no-defaults",
                "the first argument or it is refused"
            );
            for wanted in ["--skip-networking=ON", "--socket=/i/sock", "--sync-binlog=0"] {
                assert!(arguments.contains(&wanted.into()), "{wanted}");
            }
            assert_eq!(
                arguments.contains(&"--loose-mysqlx=OFF".into()),
                flavor == Flavor::MySql
            );
            let arguments = start(
                &binary,
                &places,
                Some("127.0.0.1:3307".parse().unwrap()),
                &settings,
            );
            for wanted in ["--skip-networking=OFF", "--bind-address=127.0.0.1", "--port=3307"] {
                assert!(arguments.contains(&wanted.into()), "{wanted}");
            }
        }
    }

    #[test]
    fn an_installation_anywhere_is_told_where_its_files_are() {
        let prefix = tempfile::tempdir().unwrap();
        fs::create_dir_all(prefix.path().join("share/english")).unwrap();
        fs::write(prefix.path().join("share/english/errmsg.sys"), "").unwrap();
        let (_, arguments) = initialise(
            &binary(Flavor::MySql, prefix.path()),
            Path::new("/d"),
            Path::new("/t"),
            &[],
        )
        .unwrap();
        assert!(arguments.contains(&option("--lc-messages-dir=", &prefix.path().join("share"))));
        for wanted in ["--datadir=/d", "--tmpdir=/t"] {
            assert!(arguments.contains(&wanted.into()), "{wanted}");
        }
    }
}
