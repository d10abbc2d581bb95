//! Arguments of `logtrace doctor`.

use clap::Args;

use super::home::HomeArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo logtrace doctor
  sudo logtrace doctor --clean")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) home: HomeArgs,

    /// Remove what killed runs left behind: directories of private servers, copies of their data, files placed
    /// elsewhere, and half-made data directories. Also put changed disk settings back. Files of a logtrace that is still
    /// running stay.
    #[arg(long)]
    pub(crate) clean: bool,
}
