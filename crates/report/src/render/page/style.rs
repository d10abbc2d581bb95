//! Style of pages.

/// Style sheet of all pages.
pub const STYLE: &str = include_str!("../../../templates/report.css");
