//! Texts of the numbers of a comparison.

use logtrace_common::units;
use logtrace_report::render::Unit;
use logtrace_statistics::{Interval, with_interval};

use crate::comparison::{Comparison, FigureChange};
use crate::figures::RunFigure;
use crate::settings::Setting;

/// Beginning of the names of settings of the server.
const OF_SERVER: &str = "server.settings.";

/// Most characters of a value that is shown as a whole.
const MOST_CHARACTERS: usize = 24;

/// Returns a figure: its name, the values of both sides, the ratio with its interval, and the verdict.
pub(super) fn figure_row(row: &FigureChange) -> Vec<String> {
    let text = |value: f64| match row.figure.is_time() {
        true => time(value),
        false => units::tenths(value),
    };
    let ratio = row.compared.change.map_or_else(
        || "-".to_owned(),
        |ratio| with_interval(ratio, row.compared.interval, |ratio| format!("{ratio:.3}")),
    );
    vec![
        row.figure.to_string(),
        text(row.compared.a),
        text(row.compared.b),
        ratio,
        match row.is_held {
            true => "held".to_owned(),
            false => row.compared.verdict.to_string(),
        },
    ]
}

/// Returns the figures of one table: the primary ones, or the others.
pub(super) fn figures_of(comparison: &Comparison, is_primary: bool) -> Vec<&FigureChange> {
    let figures = comparison.figures.iter();
    figures.filter(|row| row.is_primary == is_primary).collect()
}

/// Returns the row of a figure, if there is one.
pub(super) fn figure(comparison: &Comparison, figure: RunFigure) -> Option<&FigureChange> {
    comparison.figures.iter().find(|row| row.figure == figure)
}

/// Returns whether any figure has an interval.
pub(super) fn has_interval(comparison: &Comparison) -> bool {
    let mut figures = comparison.figures.iter();
    figures.any(|row| row.compared.interval.is_some())
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

/// Returns a change of a time with its interval: `+156 us (+116..+196)`. The ends have their units where these are others.
pub(super) fn change(ns: f64, interval: Option<Interval>) -> String {
    let whole = signed(ns);
    let Some(Interval { low, high }) = interval else {
        return whole;
    };
    let [low, high] = [low, high].map(signed);
    let of = |text: &str| {
        text.split_once(' ')
            .map(|(number, unit)| (number.to_owned(), unit.to_owned()))
    };
    match (of(&whole), of(&low), of(&high)) {
        (Some((_, unit)), Some((from, first)), Some((to, second))) if unit == first && unit == second => {
            format!("{whole} ({from}..{to})")
        }
        _ => format!("{whole} ({low}..{high})"),
    }
}

/// Returns whether a setting is one of the server.
pub(super) fn is_of_server(setting: &Setting) -> bool {
    setting.name.starts_with(OF_SERVER)
}

/// Returns the name of a setting for people: that of a variable alone.
pub(super) fn setting_name(setting: &Setting) -> &str {
    setting.name.strip_prefix(OF_SERVER).unwrap_or(&setting.name)
}

/// Returns the values of both sides. Of two long lists it is what one has and the other does not.
pub(super) fn setting_values(setting: &Setting) -> [String; 2] {
    if let ([a], [b]) = (setting.a.as_slice(), setting.b.as_slice()) {
        if let Some(words) = only_of_one(a, b) {
            return words;
        }
        if setting.name.ends_with("bytes") {
            return [a, b].map(|text| text.parse::<u64>().map_or_else(|_| text.clone(), units::size));
        }
    }
    let values = |values: &[String]| match values {
        [] => "-".to_owned(),
        values => values.join("; "),
    };
    [values(&setting.a), values(&setting.b)]
}

/// Returns what is in only one of two long lists, and how much is in both; `None` if they are no such lists.
fn only_of_one(a: &str, b: &str) -> Option<[String; 2]> {
    if a.len().max(b.len()) <= MOST_CHARACTERS || !(a.contains(',') || b.contains(',')) {
        return None;
    }
    let words = |text: &str| {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let (a, b) = (words(a), words(b));
    let same = a.iter().filter(|word| b.contains(word)).count();
    let only = |of: &[String], other: &[String]| {
        let own: Vec<&str> = of
            .iter()
            .filter(|word| !other.contains(word))
            .map(String::as_str)
            .collect();
        match (own.is_empty(), same) {
            (true, 0) => "-".to_owned(),
            (true, same) => format!("{same} in both"),
            (false, 0) => own.join(", "),
            (false, same) => format!("{}, and {same} in both", own.join(", ")),
        }
    };
    Some([only(&a, &b), only(&b, &a)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_an_interval_have_a_unit_only_if_it_is_another_one() {
        let interval = |low, high| Some(Interval { low, high });
        assert_eq!(
            change(156_000.0, interval(116_000.0, 196_000.0)),
            "+156 us (+116..+196)"
        );
        assert_eq!(
            change(-156_000.0, interval(-1_160_000.0, 900.0)),
            "-156 us (-1.16 ms..+900 ns)"
        );
        assert_eq!(change(-5.0, None), "-5 ns");
    }

    #[test]
    fn long_lists_are_shown_by_what_differs() {
        let setting = |name: &str, a: &str, b: &str| Setting {
            name: name.to_owned(),
            a: vec![a.to_owned()],
            b: vec![b.to_owned()],
        };
        let modes = setting(
            "server.settings.sql_mode",
            "STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION",
            "NO_ENGINE_SUBSTITUTION,STRICT_TRANS_TABLES",
        );
        assert_eq!(setting_name(&modes), "sql_mode");
        assert_eq!(
            setting_values(&modes),
            ["NO_ZERO_DATE, and 2 in both", "2 in both"]
        );
        let memory = setting("host.memory_bytes", "4294967296", "many");
        assert_eq!(setting_values(&memory), ["4 GiB", "many"]);
        let sync = setting("server.settings.sync_binlog", "1", "0");
        assert_eq!(setting_values(&sync), ["1", "0"]);
    }
}
