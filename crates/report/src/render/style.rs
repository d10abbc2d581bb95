//! Colours of the terminal's report.

use anstyle::{AnsiColor, Style};

/// Titles and totals.
pub(crate) const BOLD: Style = Style::new().bold();
/// Headers of columns.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Titles that must not be overlooked.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Bars.
pub(crate) const BAR: Style = AnsiColor::Cyan.on_default();

/// Painter of text; without colours it leaves text unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    pub(crate) color: bool,
}

impl Paint {
    /// Returns `text` in `style`.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        if self.color && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}
