//! Each format of a study with failures, missing cells, stalls and published tables.

use std::collections::BTreeMap;

use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::FileClass;
use logtrace_events::IoOp;

use super::{html, json, markdown, pictures, series_csv, stalls_csv, tables_csv, terminal};
use crate::plan::builtin::Builtin;
use crate::report::RunPage;
use crate::{
    CauseTotal, Figure, MeasurementResult, Plan, Point, RequestTime, Scale, Stall, StallKind, StudyReport,
    StudyResults, ThroughputCurve,
};

const PLAN: &str = r#"
name = "tiny"
title = "What the binary log costs"
question = "How much slower is it?"
[base]
repeats = 3
[[axis]]
name = "server"
level = [{ name = "mysql", server = "mysql" }, { name = "mariadb", server = "mariadb" }]
[[axis]]
name = "connections"
level = [{ name = "1", connections = 1 }, { name = "8", connections = 8 }]
[[axis]]
name = "binlog"
[[axis.level]]
name = "off"
settings.log_bin = false
[[axis.level]]
name = "on"
[[axis.level]]
name = "synced_*"
settings.sync_binlog = 1
[[exclude]]
server = "mariadb"
connections = "8"
binlog = "on"
[[table]]
name = "throughput"
title = "Updates a second"
figure = "throughput"
reference = "fdatasync"
over_time = true
rows = "connections"
columns = "binlog"
baseline.binlog = "off"
[[table.published]]
source = "2018"
levels.server = "mysql"
columns = ["synced_*"]
rows."1" = [0.5]
[[table]]
name = "p99"
figure = "response_p99"
statistic = "mean"
compare = "difference"
rows = "connections"
columns = "binlog"
baseline.binlog = "off"
levels.server = "mysql"
[[published]]
title = "Before"
source = "a page"
hardware = "a machine"
columns = ["binlog", "updates"]
rows = [["off", 100], ["on", 50.5]]
"#;

fn measured(throughput: f64) -> MeasurementResult {
    let cause = |who, io, wait, total| CauseTotal {
        cause: Cause { who, io, wait },
        total,
    };
    let binlog = Some((FileClass::Binlog, IoOp::Fsync));
    let causes = vec![
        cause(Who::Leader, binlog, Wait::JournalCommit, 3000),
        cause(Who::Own, binlog, Wait::JournalCommit, 1100),
        cause(
            Who::Background,
            Some((FileClass::Redo, IoOp::Fsync)),
            Wait::DeviceFlush,
            3900,
        ),
        cause(Who::Own, None, Wait::RunQueue, 1900),
        cause(Who::Own, None, Wait::OnCpu, 100),
    ];
    MeasurementResult {
        figures: BTreeMap::from([
            (Figure::Throughput, throughput),
            (Figure::Fdatasync, 777.0),
            (
                Figure::Requests(RequestTime::Response, Point::P99),
                1e9 / throughput,
            ),
        ]),
        causes: causes.clone(),
        events: 10,
        commit_causes: causes,
        commits: 10,
        per_second: vec![throughput; 2],
        curve: ThroughputCurve {
            slice_s: 0.5,
            rates: [1.0, 0.9, 0.0, 1.1].map(|share| share * throughput).to_vec(),
        },
        error: Some(0.01),
        conditions: vec![("machine".to_owned(), "2 CPUs (a <model>)".to_owned())],
        ..MeasurementResult::default()
    }
}

fn stall() -> Stall {
    let rotation = Cause {
        who: Who::Leader,
        io: Some((FileClass::Binlog, IoOp::Fsync)),
        wait: Wait::DataWriteback,
    };
    Stall {
        at_ns: 2_300_000_000,
        length_ns: 1_500_000_000,
        done: 3,
        usual: 1500,
        commits: Some(8),
        causes: vec![(rotation, 900), (Cause::UNEXPLAINED, 100)],
        kind: Some(StallKind::BinlogRotation),
    }
}

/// Returns the results of all cells but those of MariaDB with 8 connections. One of these failed, and one repeat of another
/// cell.
fn results(plan: &Plan) -> StudyResults {
    let mut results = StudyResults::default();
    for (at, cell) in plan.cells(Scale::Full).iter().enumerate() {
        for repeat in 0..cell.repeats {
            let noise = 1.0 + 0.01 * f64::from((repeat * 7 + u32::try_from(at).unwrap() * 3) % 5);
            let level = match cell.level("binlog") {
                Some("off") => 1000.0,
                Some("on") => 995.0,
                _ => 400.0,
            };
            let mut one = measured(level * noise * f64::from(u32::try_from(cell.connections.get()).unwrap()));
            if cell.key == "mysql_8_on" && repeat == 1 {
                one.stalls.push(stall());
                one.degraded = true;
            }
            let outcome = match (cell.key.as_str(), repeat) {
                ("mariadb_8_off", _) => continue,
                ("mariadb_8_synced--", 0) => Err("the server died".to_owned()),
                ("mariadb_8_synced--", _) => continue,
                ("mysql_1_synced--", 2) => Err("the disk is full".to_owned()),
                _ => Ok(one),
            };
            results.insert(cell, repeat, outcome);
        }
    }
    results
}

pub(super) fn report() -> StudyReport {
    let plan = Plan::read("tiny.toml", PLAN, &|_| Err(String::new())).unwrap();
    let mut report = StudyReport::new(&plan, Scale::Full, plan.cells(Scale::Full), &results(&plan));
    if let crate::CellEntry::Measured(one) = &mut report.tables[0].grids[0].rows[1].entries[0] {
        one.curve.as_mut().unwrap().stalls.push(stall());
    }
    report
}

#[test]
fn each_format_has_its_golden_text() {
    let report = report();
    insta::assert_snapshot!("terminal", terminal(&report, false));
    insta::assert_snapshot!("markdown", markdown(&report));
    insta::assert_snapshot!("tables_csv", tables_csv(&report).unwrap());
    insta::assert_snapshot!("stalls_csv", stalls_csv(&report).unwrap());
    insta::assert_snapshot!("json", json(&report).unwrap());
    insta::assert_snapshot!("html", logtrace_testkit::page::markup(&html(&report).unwrap()));
}

#[test]
fn the_page_asks_nobody_and_words_of_a_plan_cannot_become_markup() {
    let mut report = report();
    let evil = "<img src=x>";
    report.title = evil.to_owned();
    let table = &mut report.tables[0];
    table.row_axis = evil.to_owned();
    table.grids[0].columns[0] = evil.to_owned();
    for entry in table.grids[0].rows.iter_mut().flat_map(|row| &mut row.entries) {
        if let crate::CellEntry::Measured(measured) = entry {
            measured.cell = format!("</script>{evil}");
        }
    }
    let page = html(&report).unwrap();
    assert!(page.contains("default-src 'none'") && page.contains("&#60;img src=x&#62;"));
    for markup in ["<img", "http:", "https:"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert_eq!(
        page.matches("</script>").count(),
        2,
        "the data and the script of the page"
    );
}

#[test]
fn a_report_begins_with_an_answer_and_the_page_has_a_table_instead_of_single_dots() {
    let report = report();
    let page = html(&report).unwrap();
    let (_, answer) = page.split_once("<div class=\"answer\">").unwrap();
    let (answer, _) = answer.split_once("</div>").unwrap();
    let text = terminal(&report, false).replace('\n', " ");
    for words in [
        "Updates a second: server mysql, connections 8, binlog synced_*: 0.40 (0.37..0.43) times that of binlog off",
        "significant among",
        "p99: connections 1, binlog synced_*: +1.46 ms (1.28 ms..1.64 ms) against binlog off",
    ] {
        assert!(answer.contains(words), "{words}: {answer}");
        assert!(text.contains(words), "{words}: {text}");
    }
    // On MariaDB each column has one value.
    assert_eq!(page.matches("aria-label=\"Chart of").count(), 2);
    assert_eq!(page.matches("<details open>").count(), 1);
}

#[test]
fn the_page_leads_to_the_runs_that_have_one() {
    let mut report = report();
    assert!(!html(&report).unwrap().contains("<section id=\"runs\">"));
    let page = |cell: &str, repeat: u32| RunPage {
        cell: cell.to_owned(),
        repeat,
        path: format!("cells/{cell}/{repeat}/report.html"),
    };
    report.run_pages = vec![
        page("mysql_1_off", 1),
        page("mysql_1_off", 3),
        page("mysql_1_on", 1),
    ];
    let shown = html(&report).unwrap();
    let (_, runs) = shown.split_once("<section id=\"runs\">").unwrap();
    assert_eq!(runs.matches("<dt>").count(), 2);
    for run in &report.run_pages {
        let link = format!("<a href=\"{}\">{}</a>", run.path, run.repeat);
        assert!(runs.contains(&link), "{link}");
    }
}

#[test]
fn each_grid_has_pictures_as_files() {
    let report = report();
    let pictures = pictures(&report).unwrap();
    let names: Vec<&str> = pictures.iter().map(|picture| picture.name.as_str()).collect();
    for name in [
        "chart-throughput-1-values.svg",
        "chart-throughput-1-comparisons.svg",
        "chart-throughput-1-over-time.svg",
        "chart-throughput-1-causes.svg",
        "chart-throughput-2-values.svg",
        "chart-p99-1-values.svg",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    for picture in &pictures {
        let begin = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
        assert!(picture.svg.starts_with(begin), "{}", picture.svg);
        assert_eq!(picture.svg.matches("<style>").count(), 1, "{}", picture.name);
    }
}

#[test]
fn each_measured_cell_has_a_mark_within_its_chart() {
    let report = report();
    let table = &report.tables[0];
    let measured = table.grids.iter().map(|grid| {
        let entries = grid.rows.iter().flat_map(|row| &row.entries);
        entries
            .filter(|entry| matches!(entry, crate::CellEntry::Measured(_)))
            .count()
    });
    let pictures = pictures(&report).unwrap();
    for (number, measured) in (1..).zip(measured) {
        let name = format!("chart-throughput-{number}-values.svg");
        let picture = &pictures.iter().find(|picture| picture.name == name).unwrap().svg;
        let marks = picture.split("class=\"mark\" transform=\"translate(").skip(1);
        let places: Vec<(f64, f64)> = marks
            .map(|mark| {
                let (place, _) = mark.split_once(')').unwrap();
                let (x, y) = place.split_once(',').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            })
            .collect();
        assert_eq!(places.len(), measured, "{picture}");
        let is_within = |&(x, y): &(f64, f64)| (0.0..=640.0).contains(&x) && (0.0..=240.0).contains(&y);
        assert!(places.iter().all(is_within), "{places:?}");
    }
}

#[test]
fn series_has_each_second_of_each_measurement() {
    let plan = Plan::read("tiny.toml", PLAN, &|_| Err(String::new())).unwrap();
    let series = series_csv(plan.cells(Scale::Full), &results(&plan)).unwrap();
    assert_eq!(series.lines().count(), 1 + 26 * 2);
    assert!(
        series.starts_with("cell,repeat,second,requests\nmysql_1_off,1,0,1000\n"),
        "{series}"
    );
}

#[test]
fn color_changes_nothing_but_escape_sequences() {
    let report = report();
    let plain = terminal(&report, false);
    let colored = terminal(&report, true);
    assert_ne!(plain, colored);
    assert_eq!(anstyle_stripped(&colored), plain);
}

/// Removes sequences from the escape character to an `m`.
fn anstyle_stripped(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split('\u{1b}');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    out
}

#[test]
fn study_without_results_lists_missing_cells() {
    let plan = Plan::read("tiny.toml", PLAN, &|_| Err(String::new())).unwrap();
    let report = StudyReport::new(
        &plan,
        Scale::Full,
        plan.cells(Scale::Full),
        &StudyResults::default(),
    );
    assert_eq!((report.measured, report.failed, report.turns), (0, 0, 33));
    let text = terminal(&report, false);
    assert!(
        text.contains("0 of 33 measurements") && text.contains("not measured yet"),
        "{text}"
    );
    assert!(tables_csv(&report).unwrap().contains("missing"));
}

#[test]
fn a_table_that_compares_nothing_is_left_out_if_another_one_has_its_figures() {
    let plan = Builtin::find("max-write").unwrap().plan().unwrap();
    let tables = |scale| {
        let report = StudyReport::new(&plan, scale, plan.cells(scale), &StudyResults::default());
        let names = report.tables.into_iter().map(|table| table.name);
        names.collect::<Vec<_>>()
    };
    let (quick, full) = (tables(Scale::Quick), tables(Scale::Full));
    assert!(full.contains(&"logs".to_owned()), "{full:?}");
    let others: Vec<String> = full.into_iter().filter(|name| name != "logs").collect();
    assert_eq!(quick, others);
}

#[test]
fn a_note_on_many_entries_is_one_line() {
    let plan = Builtin::find("max-write").unwrap().plan().unwrap();
    let cells = plan.cells(Scale::Quick);
    let report = StudyReport::new(&plan, Scale::Quick, cells, &StudyResults::default());
    let text = terminal(&report, false);
    assert!(text.contains("28 entries: not measured yet"), "{text}");
}
