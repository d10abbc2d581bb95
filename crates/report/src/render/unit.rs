//! Units of figures, and numbers in them.

use logtrace_common::units;

/// Unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Events per second.
    PerSecond,
    /// Events per minute.
    PerMinute,
    /// Nanoseconds.
    Time,
    /// Bytes per second.
    BytesPerSecond,
    /// Number of events.
    Count,
    /// Bytes.
    Bytes,
    /// Number without a unit.
    Number,
    /// Share, from 0 to 1.
    Share,
}

impl Unit {
    /// Returns the name for headings, or an empty text if each number carries its unit.
    pub fn heading(self) -> &'static str {
        match self {
            Self::PerSecond => "/s",
            Self::PerMinute => "/min",
            Self::Time | Self::Count | Self::Number | Self::Share => "",
            Self::BytesPerSecond => "MB/s",
            Self::Bytes => "bytes",
        }
    }

    /// Formats a number in this unit for people.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Time => format!("{}{}", sign(value), units::duration(units::whole(value.abs()))),
            Self::BytesPerSecond => format!("{}{:.2}", sign(value), value.abs() / 1e6),
            Self::Share => format!("{:.0} %", 100.0 * value),
            Self::PerSecond | Self::PerMinute | Self::Count | Self::Number | Self::Bytes => {
                three_digits(value)
            }
        }
    }
}

fn sign(value: f64) -> &'static str {
    if value < 0.0 { "-" } else { "" }
}

/// Formats a number with at least three significant digits.
fn three_digits(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && size < 10.0 => format!("{value:.2}"),
        size if size > 0.0 && size < 100.0 => format!("{value:.1}"),
        size => format!("{}{}", sign(value), units::count(units::whole(size))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_their_unit() {
        assert_eq!(Unit::PerSecond.text(1234.4), "1,234");
        assert_eq!(Unit::PerSecond.text(12.34), "12.3");
        assert_eq!(Unit::Count.text(0.0), "0");
        assert_eq!(Unit::Time.text(1_310_000.0), "1.31 ms");
        assert_eq!(Unit::Time.text(-48_200.0), "-48.2 us");
        assert_eq!(Unit::BytesPerSecond.text(12_340_000.0), "12.34");
    }
}
