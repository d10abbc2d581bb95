//! Test of docs/plans.md: its example is a plan, and it describes every option.

use crate::plan::options::PLAIN;
use crate::{Plan, Scale};

const DOCUMENTATION: &str = include_str!("../../../../docs/plans.md");

fn example() -> &'static str {
    let (_, after) = DOCUMENTATION.split_once("```toml\n").unwrap();
    after.split_once("```").unwrap().0
}

#[test]
fn the_example_is_a_plan() {
    let plan = Plan::read("example.toml", example(), &|_| Err(String::new()));
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(Scale::ALL.map(|scale| plan.cells(scale).len()), [9, 14, 14]);
    let slow = plan
        .cells(Scale::Full)
        .iter()
        .filter(|cell| cell.warmup.as_secs() == 30);
    assert_eq!(slow.count(), 5, "the change of a level");
    assert_eq!((plan.tables.len(), plan.published.len()), (2, 1));
}

#[test]
fn options_and_figures_are_documented() {
    let tables = [
        "settings.",
        "session.",
        "place.",
        "queue.",
        "file_system",
        "mkfs",
        "mount",
    ];
    let figures = [
        "throughput_sd",
        "nopm",
        "commit.CLASS",
        "written.CLASS",
        "stalls",
        "stalled",
        "stage.NAME",
    ];
    for word in PLAIN.into_iter().chain(tables).chain(figures) {
        assert!(DOCUMENTATION.contains(&format!("`{word}")), "{word}");
    }
}
