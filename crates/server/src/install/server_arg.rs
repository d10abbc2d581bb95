//! What `--server` says.

use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use crate::connection::dsn::{Dsn, DsnError};
use logtrace_common::Flavor;

/// Which server to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerChoice {
    /// A private instance of the installed server of this flavor.
    Flavor(Flavor),
    /// A private instance of this binary.
    Binary(PathBuf),
    /// A server that runs already.
    Running(Dsn),
}

/// Why a text does not choose a server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    /// It names nothing that is known.
    #[error("{0:?} chooses no server: write mysql, mariadb, /path/to/mysqld or mysql://USER@localhost/")]
    Unknown(String),
    /// It is an address, but not one that logtrace takes.
    #[error(transparent)]
    Dsn(#[from] DsnError),
}

impl FromStr for ServerChoice {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        match text {
            "mysql" => Ok(Self::Flavor(Flavor::MySql)),
            "mariadb" => Ok(Self::Flavor(Flavor::MariaDb)),
            address if address.contains("://") => Ok(Self::Running(address.parse()?)),
            path if path.contains('/') => Ok(Self::Binary(path.into())),
            other => Err(ChoiceError::Unknown(other.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_told_apart() {
        let choice = |text: &str| text.parse::<ServerChoice>();
        assert_eq!(choice("mysql"), Ok(ServerChoice::Flavor(Flavor::MySql)));
        assert_eq!(choice("mariadb"), Ok(ServerChoice::Flavor(Flavor::MariaDb)));
        assert_eq!(
            choice("./sql/mysqld"),
            Ok(ServerChoice::Binary("./sql/mysqld".into()))
        );
        assert!(matches!(
            choice("mysql://root@localhost/"),
            Ok(ServerChoice::Running(_))
        ));
        assert_eq!(choice("oracle"), Err(ChoiceError::Unknown("oracle".into())));
        assert_eq!(
            choice("mysql://root:x@localhost/"),
            Err(ChoiceError::Dsn(DsnError::Password))
        );
    }
}
