//! Arguments of `logtrace pace`.

use std::time::Duration;

use clap::Args;

use super::check::duration;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  logtrace pace
      takes a minute; run it again while the machine has the load that it will have in a run
  logtrace pace --duration 200ms

The table compares four ways of waiting for the time at which a request is due:
  bare timer     a thread that only waits for a timerfd: the best result without spinning
  pacer          the way of `logtrace run`: a timerfd in the event loop that sends requests
  spinning       the way of `logtrace run --spin`
  tokio timer    the way of most load generators written in Rust")]
pub(crate) struct PaceArgs {
    /// Length of one measurement. Each way of waiting is measured three times at each rate.
    #[arg(long, value_name = "T", default_value = "1s", value_parser = duration)]
    pub(crate) duration: Duration,
}
