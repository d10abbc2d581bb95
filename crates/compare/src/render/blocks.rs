//! Blocks of a comparison in their order: what all renderers for people show.

use logtrace_report::units;
use logtrace_statistics::Interval;
use logtrace_study::Unit;
use logtrace_study::render::{Block, with_interval};

use crate::change::{Change, Verdict};
use crate::comparison::{Comparison, FigureChange};
use crate::figures::Figure;
use crate::render::steps::Steps;
use crate::settings::Setting;

/// Returns the blocks of a comparison. Those in a group belong together.
pub(super) fn blocks(comparison: &Comparison) -> Vec<Vec<Block>> {
    let mut groups = vec![head(comparison), settings(&comparison.settings)];
    groups.push(vec![
        Block::Heading("Throughput and times".to_owned()),
        Block::Table(
            header(&["", "A", "B", "B / A (95 % interval)", ""]),
            comparison.figures.iter().map(figure_row).collect(),
        ),
    ]);
    if !comparison.causes.is_empty() {
        groups.push(vec![
            Block::Heading("From the mean commit of A to that of B, by what commits waited for".to_owned()),
            Block::Table(
                header(&["", "A", "B", "B - A (95 % interval)", ""]),
                cause_rows(comparison),
            ),
        ]);
    }
    groups.push(vec![Block::Text(method(comparison))]);
    groups
}

fn head(comparison: &Comparison) -> Vec<Block> {
    let mut head = vec![Block::Title(answer(comparison))];
    head.extend(sides(comparison).into_iter().map(Block::Text));
    head.extend(notes(comparison).into_iter().map(|note| Block::Notes(vec![note])));
    head
}

/// Returns what was compared: both sides with what they are, or what they are in one line if it is the same.
pub(super) fn sides(comparison: &Comparison) -> Vec<String> {
    let Comparison {
        a,
        b,
        a_title,
        b_title,
        ..
    } = comparison;
    let side = |side: &str, names: &[String]| format!("{side}: {}", names.join(", "));
    let (a, b) = (side("A", a), side("B", b));
    match a_title == b_title {
        true => vec![format!("Both: {a_title}"), a, b],
        false => vec![format!("{a} ({a_title})"), format!("{b} ({b_title})")],
    }
}

/// Returns what a reader must know before trusting the numbers.
pub(super) fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes = Vec::new();
    if !has_interval(comparison) {
        notes.push("No row has an interval: each run needs at least 20 s.".to_owned());
    } else if comparison.a.len() == 1 {
        notes.push(format!(
            "These are one run each, which do not show how much two runs of the same settings differ: {} is assumed \
             (--spread). Repeat both, and name the repeats with --with.",
            share(comparison.assumed.spread)
        ));
    }
    if comparison.rates_differ {
        notes.push(
            "The offered rates differ: times at different loads say nothing about the rest, and are not judged.".to_owned(),
        );
    }
    let caveats = [("A", &comparison.a_caveats), ("B", &comparison.b_caveats)];
    let caveats = caveats.into_iter().filter(|(_, kinds)| !kinds.is_empty());
    notes.extend(caveats.map(|(side, kinds)| {
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        format!("Caveats in the reports of {side}: {}.", kinds.join(", "))
    }));
    notes
}

fn has_interval(comparison: &Comparison) -> bool {
    let mut figures = comparison.figures.iter();
    figures.any(|row| row.change.interval.is_some())
}

/// Returns the answer in one sentence: what differs, and the cause that changed most.
pub(super) fn answer(comparison: &Comparison) -> String {
    let differs = |change: &Change| change.verdict == Verdict::Differs;
    let figures = comparison.figures.iter().filter(|row| differs(&row.change));
    let figures: Vec<String> = figures
        .map(|row| format!("{} {}", row.figure, percent(row.change.change.unwrap_or(1.0))))
        .take(3)
        .collect();
    let cause = comparison.causes.iter().find(|row| differs(&row.change));
    let cause = cause.map(|row| {
        let ns = row.change.b - row.change.a;
        format!("a commit waits {} for {}", more(ns), row.waited.words())
    });
    let parts: Vec<String> = figures.into_iter().chain(cause).collect();
    match parts.is_empty() {
        true if !has_interval(comparison) => {
            let mut figures = comparison.figures.iter();
            let seen = figures
                .find(|row| row.figure == Figure::CommitMean)
                .map(figure_row);
            let seen =
                seen.map(|row| format!(" Seen were {} in A and {} in B ({}).", row[1], row[2], row[0]));
            let text = "Cannot tell: the runs are too short to judge a difference.";
            format!("{text}{}", seen.unwrap_or_default())
        }
        true => "No difference that matters is certain.".to_owned(),
        false => format!("B against A: {}.", parts.join(", ")),
    }
}

fn settings(settings: &[Setting]) -> Vec<Block> {
    let heading = Block::Heading("Settings that differ".to_owned());
    if settings.is_empty() {
        return vec![heading, Block::Text("None.".to_owned())];
    }
    let rows = settings.iter().map(setting_row).collect();
    vec![heading, Block::Table(header(&["", "A", "B"]), rows)]
}

/// Returns a setting and its values of both sides.
pub(super) fn setting_row(setting: &Setting) -> Vec<String> {
    let values = |values: &[String]| match values {
        [] => "-".to_owned(),
        values => values.join(", "),
    };
    vec![setting.name.clone(), values(&setting.a), values(&setting.b)]
}

/// Returns a figure: its name, the values of both sides, the ratio with its interval, and the verdict.
pub(super) fn figure_row(row: &FigureChange) -> Vec<String> {
    let text = |value: f64| match row.figure.is_time() {
        true => time(value),
        false => units::tenths(value),
    };
    let ratio = row.change.change.map_or_else(
        || "-".to_owned(),
        |ratio| with_interval(ratio, row.change.interval, |ratio| format!("{ratio:.3}")),
    );
    vec![
        row.figure.to_string(),
        text(row.change.a),
        text(row.change.b),
        ratio,
        row.change.verdict.to_string(),
    ]
}

/// Returns the mean of A, the change of each cause, the largest first, and the mean of B. The changes sum to the difference.
fn cause_rows(comparison: &Comparison) -> Vec<Vec<String>> {
    let steps = Steps::of(comparison);
    let row = |name: String, a: f64, b: f64, interval: Option<Interval>, verdict: String| {
        let change = with_interval(b - a, interval, signed);
        vec![name, time(a), time(b), change, verdict]
    };
    let mut rows = vec![row("all".to_owned(), steps.a, steps.b, None, String::new())];
    for cause in steps.causes {
        let change = cause.change;
        rows.push(row(
            cause.waited.words(),
            change.a,
            change.b,
            change.interval,
            change.verdict.to_string(),
        ));
    }
    let (a, b) = steps.others;
    rows.push(row("others".to_owned(), a, b, None, String::new()));
    rows
}

/// Returns how the verdicts were found.
pub(super) fn method(comparison: &Comparison) -> String {
    let errors = match comparison.a.len() {
        1 => {
            "Intervals come from blocks of at least a second within each run and the spread between runs: 20 blocks are \
             needed, and for a percentile 100 commits or requests beyond it."
        }
        _ => "Intervals come from pairs of repeats: the first of A with the first of B, and so on.",
    };
    format!(
        "{errors} \"differs\": significant at 5 % after Holm's correction for all rows that can matter, and at least {}, \
         which is the smallest change that matters; for a cause, of the mean commit of A. \"same\": the interval has no such \
         change. \"cannot tell\": neither.",
        share(comparison.assumed.smallest)
    )
}

fn share(part: f64) -> String {
    units::tenths(100.0 * part) + " %"
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Returns a time in nanoseconds as text.
pub(super) fn time(ns: f64) -> String {
    Unit::Time.text(ns)
}

/// Returns a change of a time as text.
pub(super) fn signed(ns: f64) -> String {
    let sign = if ns < 0.0 { "-" } else { "+" };
    format!("{sign}{}", time(ns.abs()))
}

fn more(ns: f64) -> String {
    format!("{} {}", time(ns.abs()), if ns < 0.0 { "less" } else { "more" })
}

fn percent(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}
