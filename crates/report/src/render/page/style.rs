//! Style of pages.

/// Style sheet of all pages.
pub(super) const STYLE: &str = include_str!("../../../templates/report.css");
