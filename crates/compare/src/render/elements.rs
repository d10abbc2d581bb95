//! Elements of a comparison in their order: what all renderers for people show.

use logtrace_common::units;
use logtrace_report::render::Element;
use logtrace_statistics::{Interval, with_interval};

use crate::comparison::Comparison;
use crate::render::answer::answer;
use crate::render::steps::Steps;
use crate::render::texts::{figure_row, has_interval, signed, time};
use crate::settings::Setting;

/// Difference and ratio of the busy CPUs outside of the server from which a reader is warned.
const MORE_CPUS: f64 = 0.25;
const TIMES_CPUS: f64 = 2.0;

/// Returns the elements of a comparison. Those in a group belong together.
pub(super) fn elements(comparison: &Comparison) -> Vec<Vec<Element>> {
    let mut groups = vec![head(comparison), settings(&comparison.settings)];
    groups.push(vec![
        Element::Heading("Throughput and times".to_owned()),
        Element::Table(
            header(&["", "A", "B", "B / A (95 % interval)", ""]),
            comparison.figures.iter().map(figure_row).collect(),
        ),
    ]);
    if !comparison.causes.is_empty() {
        groups.push(vec![
            Element::Heading("From the mean commit of A to that of B, by what commits waited for".to_owned()),
            Element::Table(
                header(&["", "A", "B", "B - A (95 % interval)", ""]),
                cause_rows(comparison),
            ),
        ]);
    }
    groups.push(vec![Element::Text(method(comparison))]);
    groups
}

fn head(comparison: &Comparison) -> Vec<Element> {
    let mut head = vec![Element::Title(answer(comparison))];
    head.extend(sides(comparison).into_iter().map(Element::Text));
    head.extend(
        notes(comparison)
            .into_iter()
            .map(|note| Element::Notes(vec![note])),
    );
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
    notes.extend(busy_machine(comparison));
    let caveats = [("A", &comparison.a_caveats), ("B", &comparison.b_caveats)];
    let caveats = caveats.into_iter().filter(|(_, kinds)| !kinds.is_empty());
    notes.extend(caveats.map(|(side, kinds)| {
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        format!("Caveats in the reports of {side}: {}.", kinds.join(", "))
    }));
    notes
}

/// Returns a note if the CPUs were much busier outside of the server on one side.
fn busy_machine(comparison: &Comparison) -> Option<String> {
    let (a, b) = (comparison.a_outside_cpus?, comparison.b_outside_cpus?);
    let differ = (a - b).abs() >= MORE_CPUS && a.max(b) >= TIMES_CPUS * a.min(b);
    differ.then(|| {
        format!(
            "Outside of the server {a:.2} CPUs were busy during A, and {b:.2} during B: other programs ran, or the client \
             had more to do. Every time may differ for that alone."
        )
    })
}

fn settings(settings: &[Setting]) -> Vec<Element> {
    let heading = Element::Heading("Settings that differ".to_owned());
    if settings.is_empty() {
        return vec![heading, Element::Text("None.".to_owned())];
    }
    let rows = settings.iter().map(setting_row).collect();
    vec![heading, Element::Table(header(&["", "A", "B"]), rows)]
}

/// Returns a setting and its values of both sides.
pub(super) fn setting_row(setting: &Setting) -> Vec<String> {
    let values = |values: &[String]| match values {
        [] => "-".to_owned(),
        values => values.join(", "),
    };
    vec![setting.name.clone(), values(&setting.a), values(&setting.b)]
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
            "Intervals come from batches of at least a second within each run and the spread between runs: 20 batches are \
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
