//! Progress on stderr, if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use logtrace_common::inert;
use logtrace_driver::LoadProgress;

use crate::say;

/// Time between two updates on the screen.
const DRAW_EVERY: Duration = Duration::from_millis(200);

/// Line on stderr that shows the current step.
#[derive(Clone, Debug)]
pub struct Line {
    bar: ProgressBar,
}

impl Line {
    /// Starts with the first step.
    pub fn start(message: &str) -> Self {
        let bar = match say::has_progress() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        bar.set_style(words());
        bar.enable_steady_tick(DRAW_EVERY);
        bar.set_message(message.to_owned());
        Self { bar }
    }

    /// Draws by a new thread from now on, which has only the rights that the calling one still has.
    pub(crate) fn restart(&self) {
        self.bar.disable_steady_tick();
        self.bar.enable_steady_tick(DRAW_EVERY);
    }

    /// Shows the current step.
    pub fn say(&self, message: impl Into<String>) {
        if self.bar.length().is_some() {
            self.bar.unset_length();
            self.bar.set_style(words());
        }
        self.bar.set_message(inert::line(&message.into()));
    }

    /// Puts a prefix before all later messages.
    pub fn lead(&self, words: &str) {
        self.bar.set_prefix(inert::line(words));
    }

    /// Does `work`, which writes to stderr, without the line.
    pub fn beside(&self, work: impl FnOnce()) {
        self.bar.suspend(work);
    }

    /// Shows the progress of loading as a bar.
    pub(crate) fn loaded(&self, progress: LoadProgress) {
        if self.bar.length() != Some(progress.total) {
            self.bar.set_message("loading tables");
            self.bar.set_position(0);
            self.bar.set_length(progress.total);
            self.bar.reset_eta();
            self.bar.set_style(rows());
        }
        self.bar.set_position(progress.rows);
        if progress.rows == progress.total {
            self.bar.set_message("building indexes");
        }
    }

    /// Returns whether anybody sees the line.
    pub(crate) fn is_visible(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Returns the style of a message.
fn words() -> ProgressStyle {
    let style = ProgressStyle::with_template("{spinner} {prefix}{msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Returns the style of a bar of loaded rows.
fn rows() -> ProgressStyle {
    let style = ProgressStyle::with_template(
        "{spinner} {prefix}{msg} {wide_bar} {human_pos} of {human_len} rows, {eta} left",
    );
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}
