//! Report of a study: the content of `study.json`, and the input of all renderers.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::plan::scale::Scale;
use crate::plan::study_plan::Plan;
use crate::plan::table_spec::Published;
use crate::results::measurement_result::cause_name;
use crate::results::stall_kind::StallKind;
use crate::results::study_results::Results;
use crate::tables::cause_share::{CauseShare, shares};
use crate::tables::study_table::{StudyTable, tabulate};

/// Version of the layout of [`StudyReport`].
pub const SCHEMA: u32 = 1;
/// Number of causes of a stall.
const CAUSES: usize = 5;

/// Results of a study. Times are nanoseconds. Numbers have nine digits.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "study.json", deny_unknown_fields)]
pub struct StudyReport {
    /// Version of this layout.
    pub schema: u32,
    /// Name of the study.
    pub name: String,
    /// Heading.
    pub title: String,
    /// Question that the study answers.
    pub question: String,
    /// Scale.
    pub scale: Scale,
    /// Number of measurements that are done.
    pub measured: usize,
    /// Number of measurements that failed.
    pub failed: usize,
    /// Number of measurements of the whole study.
    pub turns: usize,
    /// Tables, in the order of the plan.
    pub tables: Vec<StudyTable>,
    /// Stalls of all measurements.
    pub stalls: Vec<StallRow>,
    /// Requests in each second of the measurements with stalls.
    pub series: Vec<Series>,
    /// Results that others published: context, never a target.
    pub published: Vec<Published>,
    /// Time of the study by use. Absent before it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<StudyTime>,
}

/// Time of a study by use, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StudyTime {
    /// Whole time.
    pub wall_s: f64,
    /// Windows.
    pub measuring_s: f64,
    /// Windows, as a share of the whole time from 0 to 1.
    pub measuring_share: f64,
    /// Load before windows.
    pub warming_up_s: f64,
    /// Starts and stops of servers, and loading and restoring of data.
    pub serving_s: f64,
    /// Changes of settings, and waits for servers and disks to become idle.
    pub settling_s: f64,
    /// Other parts of measurements: connections, tracer, files.
    pub around_s: f64,
}

/// Requests in each second of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Series {
    /// Name of the cell.
    pub cell: String,
    /// Number of the repeat, from 1.
    pub repeat: u32,
    /// Requests in each second of the window.
    pub per_second: Vec<f64>,
}

/// Stall of a measurement: a time in which throughput was far below the median of the window.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StallRow {
    /// Name of the cell.
    pub cell: String,
    /// Number of the repeat, from 1.
    pub repeat: u32,
    /// Begin, in nanoseconds from the start of the window.
    pub at: u64,
    /// Length in nanoseconds.
    pub length: u64,
    /// Requests that were done during the stall.
    pub done: u64,
    /// Requests that are usually done in a time of this length.
    pub usual: u64,
    /// Commits that were under way during the stall, or `None` if not all of the window was traced.
    pub commits: Option<u64>,
    /// Kind of at least half of their waiting time. `None` if no kind has half of it, or if nothing was traced.
    pub kind: Option<StallKind>,
    /// Causes of their waiting time, the largest first.
    pub causes: Vec<CauseShare>,
}

impl StudyReport {
    /// Makes the report of some or all cells of a scale, as far as there are results.
    pub fn new(plan: &Plan, scale: Scale, cells: &[Cell], results: &Results) -> Self {
        Self {
            schema: SCHEMA,
            name: plan.name.clone(),
            title: plan.title.clone(),
            question: plan.question.trim().replace('\n', " "),
            scale,
            measured: cells.iter().map(|cell| results.measured(cell).count()).sum(),
            failed: cells.iter().map(|cell| results.failed(cell).count()).sum(),
            turns: cells
                .iter()
                .map(|cell| usize::try_from(cell.repeats).unwrap_or(usize::MAX))
                .sum(),
            tables: tabulate(plan, cells, results),
            stalls: stalls(cells, results),
            series: series(cells, results),
            published: plan.published.clone(),
            time: None,
        }
    }
}

fn stalls(cells: &[Cell], results: &Results) -> Vec<StallRow> {
    let mut rows = Vec::new();
    for cell in cells {
        for (repeat, measured) in results.measured(cell) {
            rows.extend(measured.stalls.iter().map(|stall| {
                let causes = stall.causes.iter().map(|&(cause, total)| {
                    let name = cause_name(cause.io, cause.wait);
                    (format!("{name} ({})", cause.who), total)
                });
                let mut causes = shares(causes.collect(), None);
                causes.truncate(CAUSES);
                StallRow {
                    cell: cell.key.clone(),
                    repeat: repeat + 1,
                    at: stall.at_ns,
                    length: stall.length_ns,
                    done: stall.done,
                    usual: stall.usual,
                    commits: stall.commits,
                    kind: stall.kind,
                    causes,
                }
            }));
        }
    }
    rows
}

fn series(cells: &[Cell], results: &Results) -> Vec<Series> {
    let mut series = Vec::new();
    for cell in cells {
        let stalled = results
            .measured(cell)
            .filter(|(_, measured)| !measured.stalls.is_empty());
        series.extend(stalled.map(|(repeat, measured)| Series {
            cell: cell.key.clone(),
            repeat: repeat + 1,
            per_second: measured.per_second.clone(),
        }));
    }
    series
}
