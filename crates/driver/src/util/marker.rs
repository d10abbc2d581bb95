//! Marker table of databases that logtrace made, and names in statements.

use mysql_async::Value;

/// Table that marks a database as logtrace's own. logtrace itself changes and drops only such databases.
pub(crate) const MARKER: &str = "logtrace_marker";

/// Returns a name in backquotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Returns a text as a literal in a session whose `sql_mode` logtrace set.
pub(crate) fn literal(text: &str) -> String {
    Value::from(text).as_sql(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_its_quotes() {
        assert_eq!(quoted("a`; DROP TABLE b"), "`a``; DROP TABLE b`");
    }
}
