//! Study as text for a terminal.

use logtrace_report::render::draw_terminal;

use crate::render::elements::elements;
use crate::report::StudyReport;

/// Returns the whole report as aligned text for a person at a terminal.
pub fn terminal(report: &StudyReport, color: bool) -> String {
    draw_terminal(elements(report), color)
}
