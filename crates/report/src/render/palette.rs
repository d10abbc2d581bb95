//! Colours of waits and of the parts of a response time.

use crate::causes::cause::Wait;
use crate::causes::wait_table::{Rgb, info};
use crate::requests::parts::Part;

/// Returns the colour of a part of a response time, or `None` for the commit, which has the colours of its causes.
pub(crate) fn of_part(part: Part) -> Option<Rgb> {
    match part {
        Part::Lag => Some((0xb8, 0x9a, 0x72)),
        Part::Client => Some(info(Wait::Client).color),
        Part::BeforeCommit | Part::AfterCommit => Some((0xa9, 0xc9, 0xb5)),
        Part::Commit => None,
    }
}

/// Returns the colour of a wait as HTML writes it.
pub(crate) fn hex(wait: Wait) -> String {
    let (red, green, blue) = info(wait).color;
    format!("#{red:02x}{green:02x}{blue:02x}")
}
