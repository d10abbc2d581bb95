//! Which server it is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The two servers that logtrace knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flavor {
    /// MySQL, and servers built from it such as Percona Server.
    MySql,
    /// MariaDB.
    MariaDb,
}

impl Flavor {
    /// The word of options and `run.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MySql => "mysql",
            Self::MariaDb => "mariadb",
        }
    }

    /// The flavor that a version text (`--version`, the variable `version`) belongs to.
    pub fn of_version(text: &str) -> Self {
        if text.contains("MariaDB") {
            Self::MariaDb
        } else {
            Self::MySql
        }
    }
}

impl fmt::Display for Flavor {
    /// The name as people write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::MySql => "MySQL",
            Self::MariaDb => "MariaDB",
        })
    }
}

/// The number at the start of a version such as `10.11.19-MariaDB-0+deb12u1`: `10.11.19`.
pub fn version_number(version: &str) -> Option<String> {
    let number: &str = version.split(|c: char| c != '.' && !c.is_ascii_digit()).next()?;
    let parts = number.split('.').filter(|part| !part.is_empty()).count();
    (parts >= 2 && !number.ends_with('.')).then(|| number.to_owned())
}

/// Flavor and version number in what `mysqld --version` prints: `PATH  Ver 9.7.4-2 for Linux on x86_64 (...)`.
pub(crate) fn parse_version_output(output: &str) -> Option<(Flavor, String)> {
    let (_, after) = output.split_once("Ver ")?;
    let version = version_number(after.split_whitespace().next()?)?;
    Some((Flavor::of_version(after), version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_output_of_every_build_is_read() {
        let outputs = [
            (
                "/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))\n",
                Flavor::MySql,
                "9.7.4",
            ),
            (
                "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)",
                Flavor::MariaDb,
                "10.11.19",
            ),
            (
                "/usr/sbin/mysqld  Ver 8.0.36-28 for Linux on x86_64 (Percona Server (GPL), Release 28)",
                Flavor::MySql,
                "8.0.36",
            ),
            (
                "/usr/libexec/mysqld  Ver 8.4.0 for Linux on x86_64 (MySQL Community Server - GPL)",
                Flavor::MySql,
                "8.4.0",
            ),
        ];
        for (output, flavor, version) in outputs {
            assert_eq!(
                parse_version_output(output),
                Some((flavor, version.to_owned())),
                "{output}"
            );
        }
    }

    #[test]
    fn output_of_other_programs_is_not_a_version() {
        for output in [
            "",
            "cat (GNU coreutils) 9.1",
            "Ver ",
            "Ver x.y",
            "Ver 9",
            "Ver 9.",
        ] {
            assert_eq!(parse_version_output(output), None, "{output:?}");
        }
    }
}
