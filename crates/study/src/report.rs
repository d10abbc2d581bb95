//! Report of a study: the content of `study.json`, and the input of all renderers.

use logtrace_statistics::mean;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::plan::Plan;
use crate::plan::scale::Scale;
use crate::plan::syntax::Published;
use crate::results::StudyResults;
use crate::results::conditions::{Condition, add_conditions};
use crate::results::figure::Figure;
use crate::results::stalls::Stall;
use crate::tables::cause_share::{CauseShare, stall_causes};
use crate::tables::observations::values;
use crate::tables::stage_table::{StageTable, stage_tables};
use crate::tables::{StudyTable, tabulate};

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
    /// Number of short turns that are done.
    pub short_turns: usize,
    /// Number of short turns that failed.
    pub failed_short_turns: usize,
    /// Number of short turns of the whole study. They are no measurements with a directory of their own.
    pub planned_short_turns: usize,
    /// Cells in which the CPUs were short.
    pub busy: BusyCells,
    /// Tables, in the order of the plan.
    pub tables: Vec<StudyTable>,
    /// Stages of a statement by server, if the plan has `stages`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageTable>,
    /// Stalls of all measurements.
    pub stalls: Vec<StallRow>,
    /// Requests in each second of the measurements with stalls.
    pub series: Vec<Series>,
    /// Conditions of the measurements: machine, servers, load and variables.
    pub conditions: Vec<Condition>,
    /// Results that others published: context, never a target.
    pub published: Vec<Published>,
    /// Pages of the runs that have one.
    #[serde(skip)]
    pub run_pages: Vec<RunPage>,
    /// Time of the study by use. Absent before it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<StudyTime>,
}

/// Page of a run of the study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPage {
    /// Name of the cell.
    pub cell: String,
    /// Number of the repeat, from 1.
    pub repeat: u32,
    /// Path from the directory of the study.
    pub path: String,
}

/// Cells in which the CPUs were short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BusyCells {
    /// Number of cells in which the CPUs were busy for nine tenths of the time and more.
    pub busy: usize,
    /// Number of cells whose CPUs were measured.
    pub of: usize,
}

/// Share of the time from which on the CPUs are short: then the run queue is a part of each wait.
const BUSY: f64 = 0.9;

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
    /// Stall.
    #[serde(flatten)]
    pub stall: Stall,
    /// Causes of their waiting time, the largest first.
    pub causes: Vec<CauseShare>,
}

impl StudyReport {
    /// Makes the report of some or all cells of a scale, as far as there are results.
    pub fn new(plan: &Plan, scale: Scale, cells: &[Cell], results: &StudyResults) -> Self {
        Self {
            schema: SCHEMA,
            name: plan.name.clone(),
            title: plan.title.clone(),
            question: plan.question.trim().replace('\n', " "),
            scale,
            measured: cells.iter().map(|cell| results.measured(cell).count()).sum(),
            failed: cells.iter().map(|cell| results.failed(cell).count()).sum(),
            turns: cells.iter().map(|cell| cell.window_count() as usize).sum(),
            short_turns: cells.iter().map(|cell| results.turns(cell).len()).sum(),
            failed_short_turns: cells.iter().map(|cell| results.failed_turns(cell).len()).sum(),
            planned_short_turns: cells.iter().map(|cell| cell.turn_count() as usize).sum(),
            busy: busy_cells(cells, results),
            tables: tabulate(plan, cells, results),
            stages: stage_tables(cells, results),
            stalls: stalls(cells, results),
            series: series(cells, results),
            conditions: conditions(cells, results),
            published: plan.published.clone(),
            run_pages: Vec::new(),
            time: None,
        }
    }
}

/// Counts the cells in which the CPUs were short, by their short turns if they have some, else by their windows.
fn busy_cells(cells: &[Cell], results: &StudyResults) -> BusyCells {
    let shares = cells
        .iter()
        .filter_map(|cell| mean(&values(&Figure::CpuBusy, cell, results).values));
    let shares: Vec<f64> = shares.collect();
    BusyCells {
        busy: shares.iter().filter(|share| **share >= BUSY).count(),
        of: shares.len(),
    }
}

fn stalls(cells: &[Cell], results: &StudyResults) -> Vec<StallRow> {
    let stalls = results.of_all(cells).flat_map(|(cell, repeat, measured)| {
        measured.stalls.iter().map(move |stall| {
            let mut causes = stall_causes(&stall.causes);
            causes.truncate(CAUSES);
            StallRow {
                cell: cell.key.clone(),
                repeat: repeat + 1,
                stall: stall.clone(),
                causes,
            }
        })
    });
    stalls.collect()
}

fn conditions(cells: &[Cell], results: &StudyResults) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for (_, _, measured) in results.of_all(cells) {
        add_conditions(&mut conditions, &measured.conditions);
    }
    conditions
}

fn series(cells: &[Cell], results: &StudyResults) -> Vec<Series> {
    let measured = results.of_all(cells);
    let stalled = measured.filter(|(_, _, measured)| !measured.stalls.is_empty());
    let series = stalled.map(|(cell, repeat, measured)| Series {
        cell: cell.key.clone(),
        repeat: repeat + 1,
        per_second: measured.per_second.clone(),
    });
    series.collect()
}
