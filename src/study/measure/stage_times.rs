//! The stages of a turn's statements, kept beside its run: `stages.json`.

use std::fs;
use std::path::Path;

use crate::run_dir::RunDir;
use anyhow::Context;
use logtrace_server::{Server, Stages, enable_stage_times, stage_times, stages_since};
use serde::{Deserialize, Serialize};

const FILE: &str = "stages.json";

/// One stage, over the warm-up and the window.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    /// Its name.
    stage: String,
    /// How often a statement entered it.
    count: u64,
    /// Nanoseconds in it.
    total: u64,
    /// Nanoseconds of each statement, on average.
    mean: f64,
}

/// Has the server time stages, and reads them as they are before the load.
pub(crate) async fn begin(server: &Server) -> anyhow::Result<Stages> {
    let connection = server.connection();
    let is_on = enable_stage_times(connection)
        .await
        .context("cannot time stages")?;
    anyhow::ensure!(
        is_on,
        "the server's Performance Schema is off, and stages are timed by it: set performance_schema = true"
    );
    Ok(stage_times(connection).await?)
}

/// Keeps what was added since.
pub(crate) async fn keep(server: &Server, before: &Stages, dir: &RunDir) -> anyhow::Result<()> {
    let added = stages_since(before, &stage_times(server.connection()).await?);
    let statements = statements(&added).max(1);
    let rows: Vec<Row> = added
        .into_iter()
        .map(|(stage, added)| Row {
            stage,
            count: added.count,
            total: added.total_ns,
            mean: added.total_ns as f64 / statements as f64,
        })
        .collect();
    let path = dir.path().join(FILE);
    dir.write(&path, serde_json::to_string_pretty(&rows)?.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// How many there were: each enters the stage of this name once on both servers. (It enters `starting` twice on MySQL, and
/// `Commit` twice on MariaDB.)
fn statements(stages: &Stages) -> u64 {
    let mut named = stages.iter();
    let opening = named.find(|(name, _)| name.eq_ignore_ascii_case("opening tables"));
    opening.map_or(0, |(_, stage)| stage.count)
}

/// Each stage with the nanoseconds of a statement in it; none where they were not kept.
pub(crate) fn read(turn: &Path) -> Vec<(String, f64)> {
    let text = fs::read_to_string(turn.join(FILE)).unwrap_or_default();
    let rows: Vec<Row> = serde_json::from_str(&text).unwrap_or_default();
    rows.into_iter().map(|row| (row.stage, row.mean)).collect()
}
