//! Password of a running server: options, environment, option files.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use logtrace_common::{Connection, PASSWORD_VARIABLE, Password};
use logtrace_server::{OptionFile, read_password_file};

use crate::exit::UsageError;

#[derive(Debug, Default, Args)]
#[group(multiple = false)]
pub(crate) struct LoginArgs {
    /// File whose first line is the password of a running server. Nobody but its owner may read it.
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    /// Ask for the password of a running server on the terminal.
    #[arg(long)]
    ask_password: bool,

    /// Option file of the servers' own clients, with the password of a running server in its group `client`. Files that it
    /// names with `!include`, and login paths (~/.mylogin.cnf), are not read. Without these
    /// options the password comes from the environment variable LOGTRACE_PASSWORD, else from ~/.my.cnf if that has no
    /// other user.
    #[arg(long, value_name = "FILE")]
    defaults_file: Option<PathBuf>,
}

impl LoginArgs {
    /// Returns whether the password is asked for, so that somebody sees which server it is for.
    pub(crate) fn asks(&self) -> bool {
        self.ask_password
    }

    /// Returns whether an option names a file with a password.
    pub(crate) fn names_file(&self) -> bool {
        self.password_file.is_some() || self.defaults_file.is_some()
    }

    pub(crate) fn with_password(&self, connection: &Connection) -> Result<Connection, UsageError> {
        let password = self
            .password(connection)
            .map_err(|error| UsageError(format!("{error:#}")))?;
        Ok(Connection {
            password,
            ..connection.clone()
        })
    }

    /// Returns the password of an account, if there is one.
    pub(crate) fn password(&self, connection: &Connection) -> anyhow::Result<Option<Password>> {
        let Connection { user, endpoint, .. } = connection;
        if let Some(path) = &self.password_file {
            return read_password_file(path).map(Some);
        }
        if self.ask_password {
            let password = rpassword::prompt_password(format!("Password of {user} on {endpoint}: "));
            let no_terminal =
                |error| anyhow::anyhow!("--ask-password: cannot read from the terminal: {error}");
            return Ok(Some(Password::new(password.map_err(no_terminal)?)));
        }
        if let Some(path) = &self.defaults_file {
            let password = in_option_file(path, user)?;
            let other = || {
                anyhow::anyhow!(
                    "{} has no password for user {user} in its group [client]",
                    path.display()
                )
            };
            return password.ok_or_else(other).map(Some);
        }
        match env::var_os(PASSWORD_VARIABLE) {
            Some(_) => Ok(Password::from_environment()),
            None => usual_option_file(user),
        }
    }
}

/// Returns the password in `~/.my.cnf`, if there is one for the account.
fn usual_option_file(user: &str) -> anyhow::Result<Option<Password>> {
    let path = env::var_os("HOME").map(|home| Path::new(&home).join(".my.cnf"));
    match path.filter(|path| path.exists()) {
        Some(path) => in_option_file(&path, user),
        None => Ok(None),
    }
}

/// Returns the password of an option file, unless it is that of another user.
fn in_option_file(path: &Path, user: &str) -> anyhow::Result<Option<Password>> {
    let file = OptionFile::read(path)?;
    let is_of_user = file.user.is_none_or(|other| other == user);
    let password = file.password.filter(|_| is_of_user);
    anyhow::ensure!(
        password.is_some() || !file.includes,
        "{path} has no password for user {user}, and logtrace does not read the files that it names with !include: put the \
         password into {path}, or use --password-file, or set {PASSWORD_VARIABLE} (empty for no password)",
        path = path.display()
    );
    Ok(password)
}
