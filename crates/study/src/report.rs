//! Everything that a study has to say: what `study.json` keeps, and what is rendered.

use serde::Serialize;

use crate::cell::Cell;
use crate::plan::study_plan::{Plan, Scale};
use crate::plan::table_spec::Published;
use crate::results::stall_kind::StallKind;
use crate::results::study_results::Results;
use crate::tables::cell_entry::{CauseShare, shares};
use crate::tables::study_table::{StudyTable, tabulate};

/// Version of the layout of [`StudyReport`].
pub const SCHEMA: u32 = 1;
/// Causes that a stall names.
const CAUSES: usize = 5;

/// The tables of a study with what belongs to them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudyReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The study's name.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// `smoke`, `quick` or `full`.
    pub scale: &'static str,
    /// Turns that were measured.
    pub measured: usize,
    /// Turns that failed.
    pub failed: usize,
    /// Turns of the whole study.
    pub turns: usize,
    /// The tables, in the order of the plan.
    pub tables: Vec<StudyTable>,
    /// Stalls of all turns.
    pub stalls: Vec<StallRow>,
    /// Requests in each second of the turns that stalled.
    pub series: Vec<Series>,
    /// What others published: context, never a target.
    pub published: Vec<Published>,
}

/// Requests in each second of a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// The cell.
    pub cell: String,
    /// The repeat, from 1.
    pub repeat: u32,
    /// Requests.
    pub per_second: Vec<f64>,
}

/// One stall of one turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StallRow {
    /// The cell.
    pub cell: String,
    /// The repeat, from 1.
    pub repeat: u32,
    /// When it began, in nanoseconds from the start of the window.
    pub at: u64,
    /// How long it lasted, in nanoseconds.
    pub length: u64,
    /// Requests that were done in it.
    pub done: u64,
    /// Requests that are usually done in such a time.
    pub usual: u64,
    /// Commits that were under way in it; `None` where that is not known, because not all of the window was traced.
    pub commits: Option<u64>,
    /// What most of their waiting was for; `None` where nothing was most of it, or nothing was traced.
    pub kind: Option<StallKind>,
    /// What these waited for, the largest first.
    pub causes: Vec<CauseShare>,
}

impl StudyReport {
    /// Of the results so far of these cells, which are those of the scale or some of them.
    pub fn new(plan: &Plan, scale: Scale, cells: &[Cell], results: &Results) -> Self {
        Self {
            schema: SCHEMA,
            name: plan.name.clone(),
            title: plan.title.clone(),
            question: plan.question.trim().replace('\n', " "),
            scale: scale.as_str(),
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
        }
    }
}

fn stalls(cells: &[Cell], results: &Results) -> Vec<StallRow> {
    let mut rows = Vec::new();
    for cell in cells {
        for (repeat, measured) in results.measured(cell) {
            rows.extend(measured.stalls.iter().map(|stall| {
                let causes = stall.causes.iter().map(|&(cause, total)| {
                    let name = crate::results::turn_result::name(cause.io, cause.wait);
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
