//! Times of the stages of statements, in a file of the run directory: `stages.json`.

use std::path::Path;

use anyhow::Context;
use logtrace_measure::run_dir::{RunDir, read_facts};
use logtrace_server::{Server, Stages, enable_stage_times, stage_times, stages_since};
use serde::{Deserialize, Serialize};

const FILE: &str = "stages.json";

/// Time of a stage, over the warm-up and the window.
#[derive(Debug, Serialize, Deserialize)]
struct StageTime {
    /// Name.
    stage: String,
    /// Number of times that a statement entered the stage.
    count: u64,
    /// Nanoseconds in the stage.
    total: u64,
    /// Mean nanoseconds of a statement in the stage.
    mean: f64,
}

/// Makes the server time stages, and reads their totals before the load.
pub(crate) async fn start(server: &Server) -> anyhow::Result<Stages> {
    let connection = server.connection();
    let is_on = enable_stage_times(connection)
        .await
        .context("cannot time stages")?;
    anyhow::ensure!(
        is_on,
        "stage times need the Performance Schema, which is off on this server: set performance_schema = true"
    );
    Ok(stage_times(connection).await?)
}

/// Writes the time since `before`.
pub(crate) async fn write(server: &Server, before: &Stages, dir: &RunDir) -> anyhow::Result<()> {
    let added = stages_since(before, &stage_times(server.connection()).await?);
    let statements = statements(&added).max(1);
    let rows: Vec<StageTime> = added
        .into_iter()
        .map(|(stage, added)| StageTime {
            stage,
            count: added.count,
            total: added.total_ns,
            mean: added.total_ns as f64 / statements as f64,
        })
        .collect();
    dir.write(FILE, &serde_json::to_string_pretty(&rows)?)
}

/// Returns the number of statements: each enters the stage "opening tables" once on both servers. (It enters `starting` twice
/// on MySQL, and `Commit` twice on MariaDB.)
fn statements(stages: &Stages) -> u64 {
    let mut named = stages.iter();
    let opening = named.find(|(name, _)| name.eq_ignore_ascii_case("opening tables"));
    opening.map_or(0, |(_, stage)| stage.count)
}

/// Reads the stages of a run and their mean nanoseconds per statement. There are none if the run has no such file.
pub(crate) fn read(run_dir: &Path) -> Vec<(String, f64)> {
    let text = read_facts(run_dir, FILE).unwrap_or_default();
    let rows: Vec<StageTime> = serde_json::from_str(&text).unwrap_or_default();
    rows.into_iter().map(|row| (row.stage, row.mean)).collect()
}
