//! Messages on stderr. Nothing else writes there, but for the bar of the progress: names and versions of others are in them, and
//! must not command a terminal.

use std::io::{self, Write};

use logtrace_common::inert;

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
