//! Arguments of `logtrace doctor`.

use clap::Args;
use logtrace_common::Connection;
use logtrace_server::parse_dsn;

use super::home::HomeArgs;
use super::login::LoginArgs;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  sudo logtrace doctor
  sudo logtrace doctor --json | jq '.commands.trace.missing'
  sudo logtrace doctor --clean
  sudo logtrace doctor --clean --password-file bench.pw mysql://bench@10.0.0.5/
      give back a running server whose run was killed")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) home: HomeArgs,

    #[command(flatten)]
    pub(crate) login: LoginArgs,

    /// Print the checks as JSON: each with its name, what was seen, its remedy, and whether it is required; for each command
    /// whether it has what it needs, and the names of what is missing.
    #[arg(long, conflicts_with = "clean")]
    pub(crate) json: bool,

    /// Remove what killed runs left behind: directories of private servers, copies of their data, files placed
    /// elsewhere, and half-made data directories. Also put changed disk settings back, and give running servers their
    /// settings again. Files of a logtrace that is still running stay.
    #[arg(long)]
    pub(crate) clean: bool,

    /// Server that the password is for, as `run --server` takes it, with the encryption that it must have. A password from
    /// a file or from LOGTRACE_PASSWORD goes to no other one. --ask-password asks for each server that killed runs left
    /// changed, or only for this one.
    #[arg(value_name = "ADDRESS", requires = "clean", value_parser = parse_dsn)]
    pub(crate) server: Option<Connection>,
}
