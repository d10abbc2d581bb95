//! Marker table of databases that logtrace made.

/// The table that marks a database as logtrace's own: only such a database is ever changed or dropped.
pub(crate) const MARKER: &str = "logtrace_marker";

/// A name as the server takes it in a statement.
pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_its_quotes() {
        assert_eq!(quoted("a`; DROP TABLE b"), "`a``; DROP TABLE b`");
    }
}
