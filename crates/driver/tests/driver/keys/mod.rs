//! Drawn keys against the formulas of their distributions, and against sysbench itself.

mod formulas;

use std::process::Command;

use logtrace_common::random::Stream;
use logtrace_driver::Keys;
use logtrace_testkit::beside_others;
use logtrace_testkit::chi_square::{ChiSquare, against, between};

const DRAWS: u64 = 1_000_000;

/// How often each row was drawn, the first row first.
fn counts(keys: Keys, rows: usize, draws: u64) -> Vec<u64> {
    let mut rng = Stream::Window.rng(3);
    let mut counts = vec![0; rows];
    for _ in 0..draws {
        counts[usize::try_from(keys.draw(&mut rng, rows as u64)).unwrap() - 1] += 1;
    }
    counts
}

fn verdict(drawn: &str, formula: &str, rows: usize) -> ChiSquare {
    let shares = formulas::shares(formula.parse().unwrap(), rows);
    against(&counts(drawn.parse().unwrap(), rows, DRAWS), &shares)
}

#[test]
fn every_distribution_is_drawn_as_its_formula_says() {
    let _turn = beside_others();
    let distributions = [
        "uniform",
        "special",
        "special:5,50,3",
        "special:100,0",
        "special:0,100",
        "gaussian",
        "gaussian:1",
        "gaussian:3",
        "pareto",
        "pareto:0.01",
        "pareto:0.7",
        "zipfian",
        "zipfian:0",
        "zipfian:0.999999",
        "zipfian:1",
        "zipfian:1.2",
        "zipfian:3",
    ];
    for text in distributions {
        for rows in [2, 10, 997, 10_000] {
            let verdict = verdict(text, text, rows);
            assert!(!verdict.is_rejected(), "{text} over {rows} rows: {verdict:?}");
        }
    }
}

#[test]
fn another_parameter_is_told_apart() {
    let _turn = beside_others();
    let pairs = [
        ("zipfian:0.8", "zipfian:0.82"),
        ("pareto:0.2", "pareto:0.205"),
        ("gaussian:12", "gaussian:11"),
        ("special", "special:1,74"),
        ("uniform", "zipfian:0.02"),
    ];
    for (drawn, formula) in pairs {
        let verdict = verdict(drawn, formula, 1000);
        assert!(verdict.is_rejected(), "{drawn} as {formula}: {verdict:?}");
    }
}

#[test]
fn special_has_the_known_shares() {
    let _turn = beside_others();
    let mut sorted = counts(Keys::SPECIAL, 10_000, DRAWS);
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let share = |top: usize| sorted[..top].iter().sum::<u64>() as f64 / DRAWS as f64;
    assert!((0.755..0.77).contains(&share(100)), "top 1 %: {}", share(100));
    assert!((0.86..0.88).contains(&share(1000)), "top 10 %: {}", share(1000));
}

/// The draws of sysbench's own generator, by a script of one event.
fn sysbench_counts(options: &str, rows: usize) -> Vec<u64> {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("draws.lua");
    let lua = format!(
        "function event()
           local counts = {{}}
           for row = 1, {rows} do counts[row] = 0 end
           for _ = 1, {DRAWS} do
             local row = sysbench.rand.default(1, {rows})
             counts[row] = counts[row] + 1
           end
           for row = 1, {rows} do print('row ' .. counts[row]) end
         end"
    );
    std::fs::write(&script, lua).unwrap();
    let output = Command::new("sysbench")
        .arg(&script)
        .args(["--events=1", "--time=0", "--rand-seed=7"])
        .args(options.split_whitespace())
        .arg("run")
        .output()
        .unwrap_or_else(|error| panic!("sysbench: {error}; scripts/setup --tests installs it"));
    let told = String::from_utf8_lossy(&output.stdout);
    let counts = told.lines().filter_map(|line| line.strip_prefix("row "));
    let counts: Vec<u64> = counts.map(|count| count.parse().unwrap()).collect();
    assert_eq!(counts.iter().sum::<u64>(), DRAWS, "{told}");
    counts
}

#[test]
fn sysbench_draws_the_same() {
    let _turn = beside_others();
    let same = [
        ("special", ""),
        (
            "special:5,50,3",
            "--rand-type=special --rand-spec-pct=5 --rand-spec-res=50 --rand-spec-iter=3",
        ),
        ("uniform", "--rand-type=uniform"),
        ("gaussian", "--rand-type=gaussian"),
        ("gaussian:3", "--rand-type=gaussian --rand-spec-iter=3"),
        ("pareto", "--rand-type=pareto"),
        ("pareto:0.35", "--rand-type=pareto --rand-pareto-h=0.35"),
    ];
    for (keys, options) in same {
        for rows in [10, 10_000] {
            let ours = counts(keys.parse().unwrap(), rows, DRAWS);
            let verdict = between(&ours, &sysbench_counts(options, rows));
            assert!(!verdict.is_rejected(), "{keys} over {rows} rows: {verdict:?}");
        }
    }
    let other = between(
        &counts(Keys::SPECIAL, 1000, DRAWS),
        &sysbench_counts("--rand-type=gaussian", 1000),
    );
    assert!(other.is_rejected(), "{other:?}");
}
