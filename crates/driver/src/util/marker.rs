//! Marker table of databases that logtrace made.

/// Table that marks a database as logtrace's own. logtrace itself changes and drops only such databases.
pub(crate) const MARKER: &str = "logtrace_marker";

/// Returns a name in backquotes.
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
