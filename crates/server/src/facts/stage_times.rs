//! Time of a server's statements in each stage, from the Performance Schema.

use logtrace_common::{ConnectError, Connection};
use std::collections::BTreeMap;

use mysql_async::prelude::Queryable;

/// Totals of stages since the server started or began to time them, by name without `stage/sql/`.
pub type Stages = BTreeMap<String, StageTotal>;

/// Total of one stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTotal {
    /// Number of times that a statement entered the stage.
    pub count: u64,
    /// Nanoseconds in the stage.
    pub total_ns: u64,
}

/// Prefix of the instruments of stages of statements.
const PREFIX: &str = "stage/sql/";

/// Makes the server time the stages of statements from now on. Returns false if its Performance Schema is off; only a
/// restart with `performance_schema=ON` changes that.
pub async fn enable_stage_times(connection: &Connection) -> Result<bool, ConnectError> {
    let mut conn = connection.connect().await?;
    let explain = |error| connection.explain(error);
    let is_on: Option<bool> = conn
        .query_first("SELECT @@GLOBAL.performance_schema")
        .await
        .map_err(explain)?;
    if is_on != Some(true) {
        connection.disconnect(conn).await?;
        return Ok(false);
    }
    let instruments = format!(
        "UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME LIKE '{PREFIX}%'"
    );
    let consumers =
        "UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events_stages_%'";
    conn.query_drop(instruments).await.map_err(explain)?;
    conn.query_drop(consumers).await.map_err(explain)?;
    connection.disconnect(conn).await?;
    Ok(true)
}

/// Reads the stages of all users' statements up to now.
pub async fn stage_times(connection: &Connection) -> Result<Stages, ConnectError> {
    let mut conn = connection.connect().await?;
    // Times are picoseconds there. The server's own threads have no user: MySQL's wait in the stage of a commit too.
    let statement = format!(
        "SELECT EVENT_NAME, CAST(SUM(COUNT_STAR) AS UNSIGNED), CAST(SUM(SUM_TIMER_WAIT) DIV 1000 AS UNSIGNED) \
         FROM performance_schema.events_stages_summary_by_user_by_event_name \
         WHERE EVENT_NAME LIKE '{PREFIX}%' AND USER IS NOT NULL GROUP BY EVENT_NAME HAVING SUM(COUNT_STAR) > 0"
    );
    let rows: Vec<(String, u64, u64)> = conn
        .query(statement)
        .await
        .map_err(|error| connection.explain(error))?;
    connection.disconnect(conn).await?;
    let stage = |(name, count, total_ns): (String, u64, u64)| {
        let name = name.strip_prefix(PREFIX).unwrap_or(&name).to_owned();
        (name, StageTotal { count, total_ns })
    };
    Ok(rows.into_iter().map(stage).collect())
}

/// Returns the difference between two totals, by stage.
pub fn stages_since(before: &Stages, after: &Stages) -> Stages {
    let added = |(name, after): (&String, &StageTotal)| {
        let before = before.get(name).copied().unwrap_or_default();
        let added = StageTotal {
            count: after.count.saturating_sub(before.count),
            total_ns: after.total_ns.saturating_sub(before.total_ns),
        };
        (added.count > 0).then(|| (name.clone(), added))
    };
    after.iter().filter_map(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(rows: &[(&str, u64, u64)]) -> Stages {
        let row =
            |&(name, count, total_ns): &(&str, u64, u64)| (name.to_owned(), StageTotal { count, total_ns });
        rows.iter().map(row).collect()
    }

    #[test]
    fn only_what_was_added_is_told() {
        let before = stages(&[("Commit", 5, 500), ("init", 5, 50)]);
        let after = stages(&[("Commit", 7, 900), ("init", 5, 50), ("end", 1, 3)]);
        assert_eq!(
            stages_since(&before, &after),
            stages(&[("Commit", 2, 400), ("end", 1, 3)])
        );
    }
}
