//! Arguments of `logtrace doctor`.

use clap::Args;

use super::home::HomeArgs;
use super::login::LoginArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo logtrace doctor
  sudo logtrace doctor --clean
  sudo logtrace doctor --clean --password-file bench.pw
      give back a running server whose run was killed")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) home: HomeArgs,

    #[command(flatten)]
    pub(crate) login: LoginArgs,

    /// Remove what killed runs left behind: directories of private servers, copies of their data, files placed
    /// elsewhere, and half-made data directories. Also put changed disk settings back, and give running servers their
    /// settings again. Files of a logtrace that is still running stay.
    #[arg(long)]
    pub(crate) clean: bool,
}
