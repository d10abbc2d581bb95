//! Colours, where they are wanted.

use anstyle::{AnsiColor, Style};

/// Paints text, or leaves it as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    color: bool,
}

impl Paint {
    pub(crate) fn new(color: bool) -> Self {
        Self { color }
    }

    /// Titles and totals.
    pub(crate) fn bold(self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }

    /// Headers of columns.
    pub(crate) fn faint(self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }

    /// What must not be overlooked.
    pub(crate) fn warning(self, text: &str) -> String {
        self.styled(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// Bars.
    pub(crate) fn bar(self, text: &str) -> String {
        self.styled(AnsiColor::Cyan.on_default(), text)
    }

    fn styled(self, style: Style, text: &str) -> String {
        if self.color && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}
