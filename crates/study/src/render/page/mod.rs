//! Page of a study: one file with charts, causes and tables, without requests to anybody.
//!
//! A chart is an SVG of some hundred elements, so a template (askama) draws it: it looks like the chart that it makes, and
//! escapes its words. Libraries for charts bring fonts or scripts, with which a page could not promise to make no request.

mod axis;
mod cause_bars;
mod curve;
mod difference;
mod figure_chart;
mod forest;
mod over_time;
mod palette;

use askama::Template;
use logtrace_common::inert;
use logtrace_report::render::{PageHead, with_contents};

use self::cause_bars::cause_bars;
use self::curve::curve;
use self::figure_chart::figure_chart;
use self::forest::forest;
use self::over_time::over_time;
use crate::plan::syntax::Published;
use crate::render::answer::answer;
use crate::render::stages;
use crate::render::texts::{
    condition_rows, header, heading, notes, reference_line, rows, stall, summary, title,
};
use crate::report::{RunPage, StudyReport};
use crate::tables::stage_table::StageTable;
use crate::tables::{Grid, StudyTable};

/// Style of all charts.
const CHARTS: &str = include_str!("../../../templates/chart.css");

/// Style of the page around them.
const PAGE: &str = include_str!("../../../templates/page.css");

/// Curves that are drawn. Others are in `series.csv`.
const CURVES: usize = 12;

#[derive(Template)]
#[template(path = "study.html")]
struct StudyPage<'a> {
    report: &'a StudyReport,
    title: String,
    head: String,
    /// Causes of all cells, and the script that compares two of them.
    cells: String,
    script: String,
    /// Answer, a sentence for each table.
    answer: Vec<String>,
    summary: String,
    tables: Vec<StudyTableSection>,
    stages: Vec<StageSection>,
    curves: Vec<(String, String)>,
    stalls: Vec<String>,
    published: &'a [Published],
    conditions: Vec<Vec<String>>,
    /// Cells with the pages of their runs.
    runs: Vec<(&'a str, Vec<&'a RunPage>)>,
}

/// Table of the study.
struct StudyTableSection {
    name: String,
    title: String,
    caption: String,
    column_axis: String,
    grids: Vec<GridSection>,
}

/// Stages of a statement on one server.
struct StageSection {
    server: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Grid of a table: its pictures, and the numbers.
struct GridSection {
    heading: String,
    /// Whether its numbers are shown without opening them, as there is no chart of them.
    is_open: bool,
    /// Drawings with their captions.
    drawings: Vec<(&'static str, String)>,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

/// Picture of a study as a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Name of the file.
    pub name: String,
    /// SVG.
    pub svg: String,
}

/// Returns the whole report as a page: `report.html`.
pub fn html(report: &StudyReport) -> Result<String, askama::Error> {
    let tables = report.tables.iter().map(table_section);
    let curves = report.series.iter().take(CURVES).map(|series| {
        let name = format!("{}, repeat {}", series.cell, series.repeat);
        let title = format!("Requests in each second of {name}");
        Ok((name, curve(report, series, title)?))
    });
    let script = difference::script();
    let head = PageHead {
        title: &report.title,
        styles: &[CHARTS, &palette::style(), PAGE],
        scripts: &[&script],
        drawings: &[],
    };
    let page = StudyPage {
        report,
        title: title(report),
        head: head.html()?,
        cells: difference::data(report).map_err(askama::Error::custom)?,
        script,
        answer: answer(report),
        summary: summary(report),
        tables: tables.collect::<Result<_, _>>()?,
        stages: report.stages.iter().map(stage_section).collect(),
        curves: curves.collect::<Result<_, askama::Error>>()?,
        stalls: report.stalls.iter().map(stall).collect(),
        published: &report.published,
        conditions: condition_rows(report),
        runs: runs(report),
    };
    Ok(inert::lines(&(with_contents(&page.render()?) + "\n")))
}

/// Returns the cells with the pages of their runs.
fn runs(report: &StudyReport) -> Vec<(&str, Vec<&RunPage>)> {
    let cells = report.run_pages.chunk_by(|one, other| one.cell == other.cell);
    let cells = cells.filter_map(|pages| Some((pages.first()?.cell.as_str(), pages.iter().collect())));
    cells.collect()
}

/// Returns the charts of a study as files, for pages of others.
pub fn pictures(report: &StudyReport) -> Result<Vec<Picture>, askama::Error> {
    let mut pictures = Vec::new();
    for table in &report.tables {
        for (number, grid) in (1..).zip(&table.grids) {
            for (kind, svg) in drawings(table, grid)? {
                pictures.push(Picture {
                    name: format!("chart-{}-{number}-{kind}.svg", table.name),
                    svg: inert::lines(&standalone(&svg)),
                });
            }
        }
    }
    Ok(pictures)
}

/// Returns a drawing as a file: with its namespace and its style.
fn standalone(svg: &str) -> String {
    let namespace = "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" ";
    let style = format!("><style>{CHARTS}{}</style>", palette::style());
    svg.replacen("<svg ", namespace, 1).replacen('>', &style, 1)
}

fn table_section(table: &StudyTable) -> Result<StudyTableSection, askama::Error> {
    let grids = table.grids.iter().map(|grid| grid_section(table, grid));
    Ok(StudyTableSection {
        name: table.name.clone(),
        title: table.title.clone(),
        caption: table.caption(),
        column_axis: table.column_axis.clone(),
        grids: grids.collect::<Result<_, _>>()?,
    })
}

fn stage_section(table: &StageTable) -> StageSection {
    StageSection {
        server: table.server.clone(),
        header: stages::header(table),
        rows: stages::lines(table),
    }
}

/// Returns the drawings of a grid with their kinds.
fn drawings(table: &StudyTable, grid: &Grid) -> Result<Vec<(&'static str, String)>, askama::Error> {
    let title = |what: &str| format!("{what} of {}. {}", table.title, heading(grid));
    let drawings = [
        ("values", figure_chart(table, grid, title("Chart"))?),
        ("comparisons", forest(table, grid, title("Comparisons"))?),
        (
            "over-time",
            over_time(table, grid, title("Throughput over time"))?,
        ),
        ("causes", cause_bars(table, grid, title("Causes"))?),
    ];
    Ok(drawings
        .into_iter()
        .filter_map(|(kind, svg)| Some((kind, svg?)))
        .collect())
}

/// Returns whether a column has several values. A chart of single dots says less than the table of them.
fn has_series(grid: &Grid) -> bool {
    let count = |column: usize| {
        let entries = grid
            .rows
            .iter()
            .filter_map(|row| row.entries.get(column)?.measured());
        entries.count()
    };
    (0..grid.columns.len()).any(|column| count(column) > 1)
}

fn grid_section(table: &StudyTable, grid: &Grid) -> Result<GridSection, askama::Error> {
    let mut drawings = drawings(table, grid)?;
    let is_dots = !has_series(grid);
    drawings.retain(|(kind, _)| *kind != "values" || !is_dots);
    Ok(GridSection {
        heading: heading(grid),
        is_open: is_dots,
        drawings,
        header: header(table, grid),
        rows: rows(table, grid),
        notes: reference_line(table, grid)
            .into_iter()
            .chain(notes(grid))
            .collect(),
    })
}
