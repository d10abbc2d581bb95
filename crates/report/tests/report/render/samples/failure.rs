//! First failure of requests.

use logtrace_report::document::FirstError;

/// Deadlock.
pub(super) fn deadlock() -> FirstError {
    FirstError {
        text: "Deadlock found when trying to get lock".to_owned(),
        statement: Some("UPDATE sbtest1 SET k=k+1 WHERE id=?".to_owned()),
    }
}
