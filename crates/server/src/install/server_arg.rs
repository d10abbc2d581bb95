//! Value of `--server`.

use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use crate::connection::dsn::{Dsn, DsnError};
use logtrace_common::Flavor;

/// Choice of a server to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerChoice {
    /// Private instance of the installed server of this flavor.
    Flavor(Flavor),
    /// Private instance of this program.
    Binary(PathBuf),
    /// Server that runs already.
    Running(Dsn),
}

/// Error for a text that chooses no server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    /// The text is none of the known forms.
    #[error("{0:?} is not a server: write mysql, mariadb, /path/to/mysqld or mysql://USER@localhost/")]
    Unknown(String),
    /// The text is an address that logtrace does not accept.
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
