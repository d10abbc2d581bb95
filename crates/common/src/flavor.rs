//! MySQL or MariaDB.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// Flavor of a server.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr, VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Flavor {
    /// MySQL, and servers built from it such as Percona Server.
    MySql,
    /// MariaDB.
    MariaDb,
}

impl Flavor {
    /// Returns the name in options and `run.json`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the flavor of a version text (the output of `--version`, or the variable `version`).
    pub fn of_version(text: &str) -> Self {
        if text.contains("MariaDB") {
            Self::MariaDb
        } else {
            Self::MySql
        }
    }
}

impl fmt::Display for Flavor {
    /// Writes the product's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::MySql => "MySQL",
            Self::MariaDb => "MariaDB",
        })
    }
}

/// Returns the number at the start of a version: `10.11.19` for `10.11.19-MariaDB-0+deb12u1`.
pub fn version_number(version: &str) -> Option<String> {
    let number: &str = version.split(|c: char| c != '.' && !c.is_ascii_digit()).next()?;
    let parts = number.split('.').filter(|part| !part.is_empty()).count();
    (parts >= 2 && !number.ends_with('.')).then(|| number.to_owned())
}

/// Reads flavor and version number from the output of `mysqld --version`:
/// `PATH  Ver 9.7.4-2 for Linux on x86_64 (...)`.
pub fn parse_version_output(output: &str) -> Option<(Flavor, String)> {
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
