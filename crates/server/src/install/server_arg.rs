//! Value of `--server`.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::anyhow;

use crate::connection::locality::is_remote;
use crate::connection::parse_dsn;
use crate::error::ServerError;
use logtrace_common::{Connection, Flavor};

/// Choice of a server to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerChoice {
    /// Private instance of the installed server of this flavor.
    Flavor(Flavor),
    /// Private instance of this program.
    Binary(PathBuf),
    /// Server that runs already.
    Running(Connection),
}

impl ServerChoice {
    /// Returns the address and account of a server that runs already.
    pub fn running(&self) -> Option<&Connection> {
        match self {
            Self::Running(connection) => Some(connection),
            Self::Flavor(_) | Self::Binary(_) => None,
        }
    }

    /// Returns whether it is a server on another machine: its address is none of this machine's network namespace.
    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Running(connection) if is_remote(&connection.endpoint))
    }
}

impl FromStr for ServerChoice {
    type Err = ServerError;

    fn from_str(text: &str) -> Result<Self, ServerError> {
        match text {
            "mysql" => Ok(Self::Flavor(Flavor::MySql)),
            "mariadb" => Ok(Self::Flavor(Flavor::MariaDb)),
            address if address.contains("://") => Ok(Self::Running(parse_dsn(address)?)),
            path if path.contains('/') => Ok(Self::Binary(path.into())),
            other => Err(anyhow!(
                "{other:?} is not a server: write mysql, mariadb, /path/to/mysqld or mysql://USER@HOST/"
            )
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_told_apart() {
        let choice = |text: &str| text.parse::<ServerChoice>().unwrap();
        assert_eq!(choice("mysql"), ServerChoice::Flavor(Flavor::MySql));
        assert_eq!(choice("mariadb"), ServerChoice::Flavor(Flavor::MariaDb));
        assert_eq!(
            choice("./sql/mysqld"),
            ServerChoice::Binary("./sql/mysqld".into())
        );
        assert!(matches!(
            choice("mysql://root@localhost/"),
            ServerChoice::Running(_)
        ));
        for (text, reason) in [
            ("oracle", "\"oracle\" is not a server"),
            ("mysql://root:x@localhost/", "holds a password"),
        ] {
            let error = text.parse::<ServerChoice>().unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
