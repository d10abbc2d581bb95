//! Messages on stderr. Nothing else writes there, but for the bar of the progress: names and versions of others are in them, and
//! must not command a terminal.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use logtrace_common::inert;

/// Whether progress is left out. stderr is one for the whole process, and so is this.
static NO_PROGRESS: AtomicBool = AtomicBool::new(false);

/// Leaves out all progress from now on; errors stay.
pub fn no_progress() {
    NO_PROGRESS.store(true, Ordering::Relaxed);
}

/// Returns whether progress is shown.
pub(crate) fn has_progress() -> bool {
    !NO_PROGRESS.load(Ordering::Relaxed)
}

/// Says one line about what goes on, unless progress is left out.
pub fn progress(text: &str) {
    if has_progress() {
        line(text);
    }
}

/// Says one line.
pub fn line(text: &str) {
    write(&inert::line(text));
}

/// Says something of several lines.
pub fn lines(text: &str) {
    write(&inert::lines(text));
}

/// An error of stderr cannot be reported anywhere: the terminal may be gone.
fn write(inert: &str) {
    let _ = writeln!(io::stderr(), "{inert}");
}
