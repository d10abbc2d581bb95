//! Elements of a comparison in their order: what all renderers for people show.

use logtrace_common::units;
use logtrace_report::render::Element;

use crate::comparison::{Comparison, FigureChange, HeldUp};
use crate::render::answer::{answer, subject};
use crate::render::texts::{
    change, figure_row, figures_of, has_interval, setting_name, setting_values, time,
};
use crate::render::tree_rows::tree_rows;
use crate::settings::Setting;

/// Difference and ratio of the busy CPUs outside of the server from which a reader is warned.
const MORE_CPUS: f64 = 0.25;
const TIMES_CPUS: f64 = 2.0;

/// Headings of the two tables of figures.
pub(super) const PRIMARY: &str = "Throughput, mean and p99, CPU: each tested for itself";
pub(super) const OTHER: &str = "Other figures";

/// Returns the elements of a comparison. Those in a group belong together.
pub(super) fn elements(comparison: &Comparison) -> Vec<Vec<Element>> {
    let mut groups = vec![head(comparison), settings(&comparison.settings)];
    groups.extend(figures(PRIMARY, figures_of(comparison, true)));
    groups.extend(figures(OTHER, figures_of(comparison, false)));
    let tree = tree_rows(comparison);
    if !tree.is_empty() {
        let rows = tree.into_iter().map(|row| {
            let verdict = row
                .verdict
                .map_or_else(String::new, |verdict| verdict.to_string());
            let change = change(row.b - row.a, row.interval);
            vec![row.edge + &row.name, time(row.a), time(row.b), change, verdict]
        });
        groups.push(vec![
            Element::Heading("From the mean commit of A to that of B".to_owned()),
            Element::Table(
                header(&["", "A", "B", "B - A (95 % interval)", ""]),
                rows.collect(),
            ),
            Element::Text(kinds(comparison)),
        ]);
    }
    groups.push(vec![Element::Text(method(comparison))]);
    groups
}

fn head(comparison: &Comparison) -> Vec<Element> {
    let mut head = vec![Element::Answer(subject(comparison), answer(comparison))];
    head.extend(held_up(comparison).into_iter().map(Element::Text));
    head.extend(sides(comparison).into_iter().map(Element::Text));
    head.extend(
        notes(comparison)
            .into_iter()
            .map(|note| Element::Notes(vec![note])),
    );
    head
}

/// Returns who held commits up on both sides, or nothing if nobody stands out on either.
pub(super) fn held_up(comparison: &Comparison) -> Vec<String> {
    let Comparison {
        a,
        b,
        a_held_up,
        b_held_up,
        ..
    } = comparison;
    if a_held_up.is_empty() && b_held_up.is_empty() {
        return Vec::new();
    }
    let side = |side: &str, runs: &[String], held_up: &[HeldUp]| match (runs.len(), held_up) {
        (_, []) => format!("In {side} nobody held commits up."),
        (1, [one, ..]) => format!("In {side}: {}", one.text),
        (runs, [one, ..]) => format!(
            "Commits were held up in {} of {runs} runs of {side}. In {}: {}",
            held_up.len(),
            one.run,
            one.text
        ),
    };
    vec![side("A", a, a_held_up), side("B", b, b_held_up)]
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
    let [a, b] = setting_values(setting);
    vec![setting_name(setting).to_owned(), a, b]
}

/// Returns the table of these figures, if there are some.
fn figures(heading: &str, figures: Vec<&FigureChange>) -> Option<Vec<Element>> {
    if figures.is_empty() {
        return None;
    }
    let rows = figures.into_iter().map(figure_row).collect();
    Some(vec![
        Element::Heading(heading.to_owned()),
        Element::Table(header(&["", "A", "B", "B / A (95 % interval)", ""]), rows),
    ])
}

/// Returns the mean commits by kind of wait, the largest change first.
pub(super) fn kinds(comparison: &Comparison) -> String {
    let mut kinds = comparison.kinds.clone();
    kinds.sort_by(|one, other| (other.b - other.a).abs().total_cmp(&(one.b - one.a).abs()));
    let texts = kinds
        .iter()
        .map(|kind| format!("{} {} to {}", kind.kind, time(kind.a), time(kind.b)));
    format!("by kind: {}", texts.collect::<Vec<_>>().join(", "))
}

/// Returns how the verdicts were found.
pub(super) fn method(comparison: &Comparison) -> String {
    let errors = match comparison.a.len() {
        1 => {
            "Intervals come from batches of at least a second within each run and the spread between runs: 20 batches are \
             needed, and for a percentile 100 commits or requests beyond it."
        }
        _ => {
            "Intervals come from pairs of repeats: the first of A with the first of B, and so on. A ratio is the geometric mean of \
             those of the pairs, and not the quotient of the two means beside it."
        }
    };
    format!(
        "{errors} \"differs\": significant at 5 %, and at least {}, which is the smallest change that matters; in a commit, of \
         the mean one of A. Each primary figure is tested for itself, the other figures with Holm's correction, and the parts of \
         a commit from the top: a part only if what it belongs to differs, with 5 % for all of them. \"same\": the interval \
         has no such change. \"cannot tell\": neither. \"held\": a rate that was given, and that all runs kept up with.",
        share(comparison.assumed.smallest)
    )
}

fn share(part: f64) -> String {
    units::tenths(100.0 * part) + " %"
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
