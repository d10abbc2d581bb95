//! Tests of what differs between the sides: settings, caveats and loads.

use logtrace_common::random::Stream;
use logtrace_compare::render::{ComparisonFormat, render};
use logtrace_compare::{Comparison, Run, RunFigure, Verdict, compare_runs};
use logtrace_report::document::{Caveat, Cpu, CpuColumns};

use super::{ASSUMED, drawn};

#[test]
fn settings_that_differ_are_listed_and_places_of_files_are_not() {
    let mut rng = Stream::Study(12).rng(1);
    let (a, mut b) = (drawn(&mut rng, 1.0), drawn(&mut rng, 1.0));
    let settings = &mut b.document.server.settings;
    settings.insert("sync_binlog".to_owned(), "1000".to_owned());
    settings.insert("pid_file".to_owned(), "/run/other/mysqld.pid".to_owned());
    b.document.workload.as_mut().unwrap().connections += 1;
    let settings = compare_runs(&[a], &[b], ASSUMED).settings;
    let names: Vec<&str> = settings.iter().map(|setting| setting.name.as_str()).collect();
    assert_eq!(names, ["server.settings.sync_binlog", "workload.connections"]);
    assert_eq!(settings[0].b, ["1000"]);
}

#[test]
fn both_sides_have_a_title_and_the_caveats_of_their_reports() {
    let mut rng = Stream::Study(12).rng(1);
    let (a, mut b) = (drawn(&mut rng, 1.0), drawn(&mut rng, 1.0));
    let text = |comparison: &Comparison| render(ComparisonFormat::Terminal, comparison, false).unwrap();
    let same = compare_runs(std::slice::from_ref(&a), std::slice::from_ref(&b), ASSUMED);
    assert!(
        text(&same).contains("Both: update_key on MySQL"),
        "{}",
        text(&same)
    );
    b.document.caveats.push(Caveat {
        kind: "late reading".to_owned().into(),
        text: "Records were read late.".to_owned(),
    });
    b.document.workload.as_mut().unwrap().connections += 1;
    let other = compare_runs(&[a], &[b], ASSUMED);
    assert_ne!(other.a_title, other.b_title);
    let names: Vec<&str> = other
        .settings
        .iter()
        .map(|setting| setting.name.as_str())
        .collect();
    assert_eq!(names, ["workload.connections"]);
    let text = text(&other);
    assert!(
        !text.contains("Both:") && text.contains("in the reports of B: "),
        "{text}"
    );
    assert!(text.contains("late reading."), "{text}");
}

#[test]
fn a_ratio_beyond_the_axis_is_an_arrow() {
    let mut rng = Stream::Study(12).rng(1);
    let (a, mut b) = (drawn(&mut rng, 1.0), drawn(&mut rng, 1.0));
    let page = |b: &Run| {
        render(
            ComparisonFormat::Html,
            &compare_runs(std::slice::from_ref(&a), std::slice::from_ref(b), ASSUMED),
            false,
        )
    };
    assert!(!page(&b).unwrap().contains("\u{25b8}"));
    b.document.driver.as_mut().unwrap().achieved_per_s *= 100.0;
    assert!(page(&b).unwrap().contains("\u{25b8}"));
}

#[test]
fn times_at_different_rates_are_not_judged() {
    let mut rng = Stream::Study(12).rng(1);
    let (a, mut b) = (drawn(&mut rng, 1.0), drawn(&mut rng, 2.0));
    let offered = &mut b.document.driver.as_mut().unwrap().offered_per_s;
    *offered = Some(2.0 * offered.unwrap());
    let comparison = compare_runs(&[a], &[b], ASSUMED);
    assert!(comparison.rates_differ);
    let times = comparison.figures.iter().filter(|row| row.figure.is_time());
    assert!(
        times
            .map(|row| row.compared.verdict)
            .all(|verdict| verdict == Verdict::CannotTell)
    );
    let mut causes = comparison.causes.iter().map(|row| row.compared.verdict);
    assert!(causes.all(|verdict| verdict == Verdict::CannotTell));
}

#[test]
fn runs_without_a_trace_have_figures_of_requests_alone() {
    let mut rng = Stream::Study(12).rng(1);
    let mut run = drawn(&mut rng, 1.0);
    run.document.commits = None;
    run.document.causes.clear();
    run.over_time = None;
    let comparison = compare_runs(&[run.clone()], &[run], ASSUMED);
    assert_eq!(comparison.causes, []);
    assert!(
        comparison
            .figures
            .iter()
            .any(|row| row.figure == RunFigure::Requests)
    );
    assert!(
        comparison
            .figures
            .iter()
            .all(|row| row.figure != RunFigure::CommitMean)
    );
}

#[test]
fn a_machine_that_was_busy_on_one_side_is_a_caveat() {
    let mut rng = Stream::Study(12).rng(1);
    let (mut a, mut b) = (drawn(&mut rng, 1.0), drawn(&mut rng, 1.0));
    let seconds = a.document.workload.as_ref().unwrap().duration_s;
    let busy = |cpus: f64| Cpu {
        machine: Some(CpuColumns {
            total: (cpus * seconds * 1e9) as u64,
            ..CpuColumns::default()
        }),
        ..Cpu::default()
    };
    let notes = |a: &Run, b: &Run| {
        let comparison = compare_runs(std::slice::from_ref(a), std::slice::from_ref(b), ASSUMED);
        render(ComparisonFormat::Terminal, &comparison, false).unwrap()
    };
    let seen = "Outside of the server 0.50 CPUs were busy during A, and 1.50 during B";
    assert!(!notes(&a, &b).contains("Outside of the server"));
    a.document.cpu = Some(busy(0.5));
    b.document.cpu = Some(busy(1.5));
    assert!(notes(&a, &b).contains(seen), "{}", notes(&a, &b));
    b.document.cpu = Some(busy(0.7));
    assert!(!notes(&a, &b).contains("Outside of the server"));
}

#[test]
fn a_rate_that_was_held_is_the_same_and_one_that_was_not_is_judged() {
    let mut rng = Stream::Study(12).rng(1);
    let (a, mut b) = (drawn(&mut rng, 1.0), drawn(&mut rng, 1.0));
    let compared = |b: &Run| compare_runs(std::slice::from_ref(&a), std::slice::from_ref(b), ASSUMED);
    let requests = |comparison: &Comparison| comparison.figures[0];
    let offered = b.document.driver.as_ref().unwrap().offered_per_s.unwrap();
    b.document.driver.as_mut().unwrap().achieved_per_s = 0.995 * offered;
    let comparison = compared(&b);
    assert!(requests(&comparison).is_held);
    assert_eq!(requests(&comparison).compared.verdict, Verdict::Same);
    let text = render(ComparisonFormat::Terminal, &comparison, false).unwrap();
    assert!(text.contains("  held\n"), "{text}");
    b.document.driver.as_mut().unwrap().achieved_per_s = 0.8 * offered;
    let comparison = compared(&b);
    assert!(!requests(&comparison).is_held);
    assert_ne!(requests(&comparison).compared.verdict, Verdict::Same);
}
