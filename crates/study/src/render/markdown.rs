//! Study as Markdown: `report.md`.

use logtrace_report::render::draw_markdown;

use crate::render::elements::elements;
use crate::report::StudyReport;

/// Returns the whole report as Markdown, for an issue or a wiki: `report.md`.
pub fn markdown(report: &StudyReport) -> String {
    draw_markdown(elements(report))
}
