//! `logtrace compare`: compares runs.

use std::path::{Path, PathBuf};

use logtrace_compare::render::render;
use logtrace_compare::{Run, compare_runs};

use super::print::{has_color, print};
use crate::cli::results::compare::CompareArgs;
use crate::exit::{Exit, UsageError};
use crate::source::Source;

/// Compares the runs of directories and pages.
pub(crate) fn compare(arguments: &CompareArgs) -> anyhow::Result<Exit> {
    let (a, b) = sides(arguments)?;
    let read = |dirs: &[PathBuf]| {
        dirs.iter()
            .map(|dir| read(dir))
            .collect::<anyhow::Result<Vec<_>>>()
    };
    let comparison = compare_runs(&read(a)?, &read(b)?, arguments.assumed());
    print(&render(arguments.format, &comparison, has_color())?)?;
    Ok(Exit::Done)
}

/// Returns the paths of both sides, as many of one as of the other.
fn sides(arguments: &CompareArgs) -> Result<(&[PathBuf], &[PathBuf]), UsageError> {
    let (runs, with) = (&arguments.runs[..], &arguments.with[..]);
    match (runs, with) {
        ([a, b], []) => Ok((std::slice::from_ref(a), std::slice::from_ref(b))),
        (_, []) => Err(UsageError(format!(
            "give two runs, or the repeats of B after --with: there are {}",
            runs.len()
        ))),
        _ if runs.len() == with.len() => Ok((runs, with)),
        _ => Err(UsageError(format!(
            "the first of A is compared with the first of B, and so on, but there are {} runs of A and {} of B",
            runs.len(),
            with.len()
        ))),
    }
}

/// Reads a run from its directory or from its page.
fn read(path: &Path) -> anyhow::Result<Run> {
    let source = Source::open(path)?;
    let (document, over_time) = source.numbers()?;
    Ok(Run {
        name: path.display().to_string(),
        document,
        over_time,
    })
}

#[cfg(test)]
mod tests {
    use logtrace_compare::{Assumed, Comparison, Run, RunFigure, compare_runs};
    use logtrace_report::document::Document;
    use logtrace_report::parse_json;
    use logtrace_study::{
        CellEntry, MeasuredEntry, MeasurementResult, Plan, Scale, StudyReport, StudyResults,
    };

    /// Figures that both commands have, by their names in plans.
    const FIGURES: [(&str, RunFigure); 6] = [
        ("throughput", RunFigure::Requests),
        ("response_mean", RunFigure::ResponseMean),
        ("response_p99", RunFigure::ResponseP99),
        ("commit_mean", RunFigure::CommitMean),
        ("commit_p99", RunFigure::CommitP99),
        ("cpu_commit", RunFigure::ServerCpuOfCommit),
    ];
    const REPEATS: u32 = 3;

    /// Returns a plan of two cells, with a table for each figure.
    fn plan() -> Plan {
        let cells = "name = \"two\"\ntitle = \"Two\"\nquestion = \"Which?\"\n[base]\nrepeats = 3\n\
                     [[axis]]\nname = \"server\"\nlevel = [{ name = \"mysql\", server = \"mysql\" }]\n\
                     [[axis]]\nname = \"sync\"\nlevel = [{ name = \"a\", settings.sync_binlog = 1 }, \
                     { name = \"b\", settings.sync_binlog = 0 }]\n";
        let table = |(name, _): (&str, RunFigure)| {
            format!(
                "[[table]]\nname = \"{name}\"\nfigure = \"{name}\"\nrows = \"server\"\ncolumns = \"sync\"\n\
                 baseline.sync = \"a\"\n"
            )
        };
        let text = cells.to_owned() + &FIGURES.map(table).concat();
        Plan::read("two.toml", &text, &|_| Err(String::new())).unwrap()
    }

    /// Returns a run that is slower by a factor for each of its figures.
    fn slower(mut factor: impl FnMut() -> f64) -> Document {
        let snapshot = include_str!(
            "../../crates/report/tests/report/render/snapshots/report__render__golden__traced.json.snap"
        );
        let mut document = parse_json(snapshot.splitn(3, "---\n").last().unwrap()).unwrap();
        let mut times = |ns: &mut u64| *ns = (*ns as f64 * factor()) as u64;
        let driver = document.driver.as_mut().unwrap();
        times(&mut driver.response.mean);
        times(&mut driver.response.p99);
        driver.per_tenth.iter_mut().for_each(&mut times);
        let commits = document.commits.as_mut().unwrap();
        times(&mut commits.total);
        times(&mut commits.distribution.p99);
        times(&mut document.cpu.as_mut().unwrap().server.total);
        // A closed loop: a rate that was held would not be judged.
        let driver = document.driver.as_mut().unwrap();
        (driver.offered_per_s, driver.achieved_per_s) = (None, 1_000.0 * factor());
        document
    }

    fn studied(report: &StudyReport, name: &str) -> MeasuredEntry {
        let table = report.tables.iter().find(|table| table.name == name).unwrap();
        let entries = table.grids[0].rows[0].entries.iter();
        let mut measured = entries.filter_map(|entry| match entry {
            CellEntry::Measured(one) if one.comparison.is_some() => Some((**one).clone()),
            _ => None,
        });
        measured.next().unwrap()
    }

    fn assert_agree(comparison: &Comparison, report: &StudyReport, (name, figure): (&str, RunFigure)) {
        let row = comparison
            .figures
            .iter()
            .find(|row| row.figure == figure)
            .unwrap();
        let (compared, entry) = (row.compared, studied(report, name));
        let tested = entry.comparison.unwrap();
        // study.json has nine digits.
        let near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-7;
        assert!(near(compared.change.unwrap(), tested.value), "{name}");
        let (one, other) = (compared.interval.unwrap(), tested.interval.unwrap());
        assert!(
            near(one.low, other.low) && near(one.high, other.high),
            "{name}: {one:?} {other:?}"
        );
        assert_eq!(Some(compared.verdict), entry.verdict, "{name}");
    }

    #[test]
    fn the_same_runs_get_the_same_ratio_interval_and_verdict_from_compare_and_from_study() {
        let plan = plan();
        let cells = plan.cells(Scale::Full);
        let mut state = 1_u64;
        let mut noise = |spread: f64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            1.0 + spread * ((state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
        };
        let mut verdicts = Vec::new();
        for effect in [1.0, 1.03, 1.4] {
            let mut results = StudyResults::default();
            let mut sides = Vec::new();
            for (cell, level) in cells.iter().zip([1.0, effect]) {
                let runs: Vec<Document> = (0..REPEATS).map(|_| slower(|| level * noise(0.02))).collect();
                for (repeat, document) in (0..).zip(&runs) {
                    results.insert(cell, repeat, Ok(MeasurementResult::new(document, &[], false)));
                }
                let run = |document| Run {
                    name: String::new(),
                    document,
                    over_time: None,
                };
                sides.push(runs.into_iter().map(run).collect::<Vec<_>>());
            }
            let report = StudyReport::new(&plan, Scale::Full, cells, &results);
            let assumed = Assumed {
                smallest: 0.02,
                spread: 0.1,
            };
            let comparison = compare_runs(&sides[0], &sides[1], assumed);
            for figure in FIGURES {
                assert_agree(&comparison, &report, figure);
                verdicts.push(studied(&report, figure.0).verdict.unwrap().to_string());
            }
        }
        verdicts.sort();
        verdicts.dedup();
        assert!(verdicts.len() >= 2, "the cases differ: {verdicts:?}");
    }
}
