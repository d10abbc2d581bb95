//! Answer of a comparison in one sentence: the settings that differ, what changed, and where in the commits. Its numbers are those
//! of the tables.

use logtrace_common::units;
use logtrace_statistics::Verdict;

use crate::cause_tree::ChangeNode;
use crate::compared_value::ComparedValue;
use crate::comparison::{Comparison, FigureChange};
use crate::figures::RunFigure;
use crate::render::texts::{
    figure, figure_row, figures_of, has_interval, is_of_server, setting_name, setting_values, time,
};
use crate::settings::Setting;

/// Figures that readers ask for first, in this order.
const FIRST: [RunFigure; 5] = [
    RunFigure::CommitMean,
    RunFigure::Requests,
    RunFigure::Commits,
    RunFigure::ResponseMean,
    RunFigure::CommitP99,
];

/// Most figures of the answer, and most branches.
const MOST_FIGURES: usize = 2;
const MOST_BRANCHES: usize = 2;

/// Most settings of the answer, and the most characters of a value.
const MOST_SETTINGS: usize = 2;
const MOST_CHARACTERS: usize = 24;

/// Share by which a ratio may differ from the quotient of the two means beside it without a word.
const SAME_QUOTIENT: f64 = 0.02;

/// Logarithm of the ratio from which a difference that is not certain is told: a quarter.
const LARGE: f64 = 0.223;

/// Returns what is compared, in a few words.
pub(super) fn subject(comparison: &Comparison) -> String {
    format!("{} against A", settings(&comparison.settings))
}

pub(super) fn answer(comparison: &Comparison) -> String {
    let branches = branches(&comparison.tree);
    let figures = figures(comparison);
    let mean = figures.is_empty().then(|| uncertain_mean(comparison)).flatten();
    let mean = mean.filter(|_| branches.is_some());
    let parts: Vec<String> = figures.into_iter().chain(branches).chain(mean).collect();
    let subject = subject(comparison);
    match parts.is_empty() {
        true if !has_interval(comparison) => format!(
            "Cannot tell: the runs are too short to judge a difference.{}",
            seen(comparison).unwrap_or_default()
        ),
        true => format!(
            "{subject}: no difference that matters is certain.{}{}",
            largest_seen(comparison).unwrap_or_default(),
            held(comparison).unwrap_or_default()
        ),
        false => format!("{subject}: {}.", parts.join("; ")),
    }
}

/// Returns where commits wait less or more: the branches of the tree that differ, and the largest change in each.
fn branches(tree: &[ChangeNode]) -> Option<String> {
    let differing = tree.iter().filter(|node| differs(&node.compared));
    let text = |node: &ChangeNode| {
        let whole = format!("{} for {}", more(node.growth_ns()), node.name);
        match largest_part(node) {
            Some((name, part)) => format!("{whole} ({name} {})", more(part.growth_ns())),
            None => whole,
        }
    };
    let texts: Vec<String> = differing.take(MOST_BRANCHES).map(text).collect();
    (!texts.is_empty()).then(|| format!("a commit waits {}", texts.join(" and ")))
}

/// Returns the largest change below a node that differs, with its name there.
fn largest_part(node: &ChangeNode) -> Option<(String, &ChangeNode)> {
    let part = node.parts.iter().find(|part| differs(&part.compared))?;
    Some(match largest_part(part) {
        Some((name, below)) => (format!("{} {name}", part.name), below),
        None => (part.name.clone(), part),
    })
}

fn differs(compared: &ComparedValue) -> bool {
    compared.verdict == Verdict::Differs
}

/// Returns the figures that differ and that readers ask for first: primary ones if one of them differs.
fn figures(comparison: &Comparison) -> Vec<String> {
    let differing = |is_primary| {
        let mut figures = figures_of(comparison, is_primary);
        figures.retain(|row| differs(&row.compared));
        figures
    };
    let mut figures = differing(true);
    if figures.is_empty() {
        figures = differing(false);
    }
    figures.sort_by_key(|row| {
        FIRST
            .iter()
            .position(|&first| first == row.figure)
            .unwrap_or(FIRST.len())
    });
    figures.into_iter().take(MOST_FIGURES).map(figure_text).collect()
}

/// Returns a figure with its change. The geometric mean of pairs is not the quotient of the means beside it.
fn figure_text(row: &FigureChange) -> String {
    let (words, ratio) = (figure_row(row), row.compared.change.unwrap_or(1.0));
    let quotient = row.compared.b / row.compared.a;
    let by_pairs = match (ratio / quotient - 1.0).abs() > SAME_QUOTIENT {
        true => " by pairs",
        false => "",
    };
    let change = percent(ratio);
    format!("{} {change}{by_pairs} ({} to {})", words[0], words[1], words[2])
}

/// Returns what B is: its settings of the server that A does not have, or how many settings differ.
fn settings(settings: &[Setting]) -> String {
    let of_server: Vec<&Setting> = settings.iter().filter(|setting| is_of_server(setting)).collect();
    let words: Vec<String> = match of_server.len() {
        1..=MOST_SETTINGS => of_server.into_iter().map(setting).collect(),
        _ => Vec::new(),
    };
    match (settings.len(), words.len()) {
        (0, _) => "B".to_owned(),
        (1, 0) => "B (1 setting differs)".to_owned(),
        (all, 0) => format!("B ({all} settings differ)"),
        _ => format!("B ({})", words.join(" and ")),
    }
}

fn setting(setting: &Setting) -> String {
    let (name, [a, b]) = (setting_name(setting), setting_values(setting));
    match a.len().max(b.len()) <= MOST_CHARACTERS && setting.a.len() == 1 && setting.b.len() == 1 {
        true => format!("{name} {b} instead of {a}"),
        false => format!("other {name}"),
    }
}

/// Returns the mean commits of both sides, which are not known to differ.
fn uncertain_mean(comparison: &Comparison) -> Option<String> {
    let row = figure_row(figure(comparison, RunFigure::CommitMean)?);
    Some(format!(
        "whether the mean commit differs ({} and {}) is not certain",
        row[1], row[2]
    ))
}

/// Returns the mean commits that were seen.
fn seen(comparison: &Comparison) -> Option<String> {
    let row = figure_row(figure(comparison, RunFigure::CommitMean)?);
    Some(format!(
        " Seen were {} in A and {} in B ({}).",
        row[1], row[2], row[0]
    ))
}

/// Returns the primary figure with the largest difference that was seen and is not certain, if it is large.
fn largest_seen(comparison: &Comparison) -> Option<String> {
    let change = |row: &FigureChange| (row.compared.b / row.compared.a).ln().abs();
    let figures = figures_of(comparison, true).into_iter();
    let uncertain = figures.filter(|row| row.compared.verdict == Verdict::CannotTell);
    let large = uncertain.filter(|row| change(row).is_finite() && change(row) >= LARGE);
    let row = figure_row(large.max_by(|one, other| change(one).total_cmp(&change(other)))?);
    Some(format!(
        " The largest that was seen is that of the {}, {} and {}.",
        row[0], row[1], row[2]
    ))
}

/// Returns that a rate was held.
fn held(comparison: &Comparison) -> Option<String> {
    let row = figure(comparison, RunFigure::Requests).filter(|row| row.is_held)?;
    Some(format!(
        " Both held their rate of {}/s.",
        units::tenths(row.compared.b)
    ))
}

fn more(ns: f64) -> String {
    format!("{} {}", time(ns.abs()), if ns < 0.0 { "less" } else { "more" })
}

fn percent(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::cause::Branch;
    use logtrace_common::FileClass;

    use super::*;

    fn setting(name: &str, a: &str, b: &str) -> Setting {
        Setting {
            name: name.to_owned(),
            a: vec![a.to_owned()],
            b: vec![b.to_owned()],
        }
    }

    fn node(name: &str, b: f64, verdict: Verdict, parts: Vec<ChangeNode>) -> ChangeNode {
        ChangeNode {
            name: name.to_owned(),
            branch: Branch::File(FileClass::Redo),
            op: None,
            wait: None,
            is_tested: true,
            compared: ComparedValue {
                a: 1_000.0,
                b,
                change: None,
                interval: None,
                p: None,
                verdict,
            },
            parts,
            waited: None,
        }
    }

    #[test]
    fn a_branch_is_named_as_a_whole_with_the_largest_part_that_differs() {
        let part = |name, b, verdict| node(name, b, verdict, Vec::new());
        let calls = vec![
            node(
                "fsync",
                300.0,
                Verdict::Differs,
                vec![
                    part("flush queue", 500.0, Verdict::CannotTell),
                    part("journal commit", 800.0, Verdict::Differs),
                ],
            ),
            part("write", 1_100.0, Verdict::Differs),
        ];
        let tree = [
            node("binlog", 400.0, Verdict::Differs, calls),
            part("redo fsync", 1_300.0, Verdict::CannotTell),
            part("scheduling", 1_100.0, Verdict::Differs),
        ];
        assert_eq!(
            branches(&tree).unwrap(),
            "a commit waits 600 ns less for binlog (fsync journal commit 200 ns less) and 100 ns more for scheduling"
        );
        assert_eq!(branches(&tree[1..2]), None);
    }

    #[test]
    fn a_few_settings_of_the_server_are_named() {
        let sync = setting("server.settings.sync_binlog", "1", "0");
        assert_eq!(settings(&[]), "B");
        assert_eq!(
            settings(std::slice::from_ref(&sync)),
            "B (sync_binlog 0 instead of 1)"
        );
        let kernel = setting("host.kernel", "6.1", "6.12");
        assert_eq!(settings(std::slice::from_ref(&kernel)), "B (1 setting differs)");
        assert_eq!(
            settings(&[kernel, sync.clone()]),
            "B (sync_binlog 0 instead of 1)"
        );
        let many = ["a", "b", "c"].map(|name| setting(&format!("server.settings.{name}"), "0", "1"));
        assert_eq!(settings(&many), "B (3 settings differ)");
        let long = setting("server.settings.init_connect", "", &"long ".repeat(9));
        assert_eq!(
            settings(&[sync, long]),
            "B (sync_binlog 0 instead of 1 and other init_connect)"
        );
    }
}
