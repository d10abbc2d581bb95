//! Answer of a comparison in one sentence: the settings that differ, what changed, and the causes that changed most.

use crate::change::{Change, Verdict};
use crate::comparison::{CauseChange, Comparison, FigureChange};
use crate::figures::Figure;
use crate::render::texts::{figure_row, has_interval, time};
use crate::settings::Setting;

/// Figures that readers ask for first, in this order.
const FIRST: [Figure; 5] = [
    Figure::CommitMean,
    Figure::Requests,
    Figure::Commits,
    Figure::ResponseMean,
    Figure::CommitP99,
];

/// Most figures of the answer, and most causes.
const MOST_FIGURES: usize = 2;
const MOST_CAUSES: usize = 2;

/// Most settings of the answer, and the most characters of a value.
const MOST_SETTINGS: usize = 2;
const MOST_CHARACTERS: usize = 24;

/// Beginning of the names of settings of the server.
const OF_SERVER: &str = "server.settings.";

/// Returns the answer.
pub(super) fn answer(comparison: &Comparison) -> String {
    let cause = causes(&comparison.causes);
    let figures = figures(comparison);
    let mean = figures.is_empty().then(|| uncertain_mean(comparison)).flatten();
    let mean = mean.filter(|_| cause.is_some());
    let parts: Vec<String> = figures.into_iter().chain(cause).chain(mean).collect();
    let b = settings(&comparison.settings);
    match parts.is_empty() {
        true if !has_interval(comparison) => format!(
            "Cannot tell: the runs are too short to judge a difference.{}",
            seen(comparison).unwrap_or_default()
        ),
        true => format!("{b} against A: no difference that matters is certain."),
        false => format!("{b} against A: {}.", parts.join("; ")),
    }
}

/// Returns what commits wait for less or more: the certain changes within one call on a file are one.
fn causes(causes: &[CauseChange]) -> Option<String> {
    let mut groups: Vec<Vec<&CauseChange>> = Vec::new();
    for row in causes.iter().filter(|row| differs(&row.change)) {
        match groups.iter_mut().find(|group| belongs(group[0], row)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let sum = |group: &[&CauseChange]| group.iter().map(|row| growth(row)).sum::<f64>();
    groups.sort_by(|one, other| sum(other).abs().total_cmp(&sum(one).abs()));
    let text = |group: &Vec<&CauseChange>| {
        let (first, more) = (group[0].waited, more(sum(group)));
        match first.io_words().filter(|_| group.len() > 1) {
            Some(io) => format!(
                "{more} for {io} ({} of it {})",
                time(growth(group[0]).abs()),
                first.wait
            ),
            None => format!("{more} for {}", first.words()),
        }
    };
    let texts: Vec<String> = groups.iter().take(MOST_CAUSES).map(text).collect();
    (!texts.is_empty()).then(|| format!("a commit waits {}", texts.join(" and ")))
}

/// Returns whether a change is in the same call on a file as the largest one of a group, and has its direction.
fn belongs(largest: &CauseChange, other: &CauseChange) -> bool {
    let io = |row: &CauseChange| row.waited.file.zip(row.waited.op);
    io(largest).is_some() && io(largest) == io(other) && (growth(largest) < 0.0) == (growth(other) < 0.0)
}

/// Returns by how many nanoseconds a commit of B waits longer.
fn growth(row: &CauseChange) -> f64 {
    row.change.b - row.change.a
}

fn differs(change: &Change) -> bool {
    change.verdict == Verdict::Differs
}

/// Returns the figures that differ and that readers ask for first.
fn figures(comparison: &Comparison) -> Vec<String> {
    let mut figures: Vec<&FigureChange> = comparison
        .figures
        .iter()
        .filter(|row| differs(&row.change))
        .collect();
    figures.sort_by_key(|row| {
        FIRST
            .iter()
            .position(|&first| first == row.figure)
            .unwrap_or(FIRST.len())
    });
    let text = |row: &&FigureChange| {
        let (words, ratio) = (figure_row(row), row.change.change.unwrap_or(1.0));
        format!("{} {} ({} to {})", words[0], percent(ratio), words[1], words[2])
    };
    figures.iter().take(MOST_FIGURES).map(text).collect()
}

/// Returns what B is: its settings of the server that A does not have, or how many settings differ.
fn settings(settings: &[Setting]) -> String {
    let of_server = settings
        .iter()
        .filter(|setting| setting.name.starts_with(OF_SERVER));
    let of_server: Vec<&Setting> = of_server.collect();
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
    let name = setting.name.strip_prefix(OF_SERVER).unwrap_or(&setting.name);
    match (setting.a.as_slice(), setting.b.as_slice()) {
        ([a], [b]) if a.len().max(b.len()) <= MOST_CHARACTERS => format!("{name} {b} instead of {a}"),
        _ => format!("other {name}"),
    }
}

/// Returns the row of the mean commit.
fn commit_mean(comparison: &Comparison) -> Option<Vec<String>> {
    let mut figures = comparison.figures.iter();
    figures
        .find(|row| row.figure == Figure::CommitMean)
        .map(figure_row)
}

/// Returns the mean commits of both sides, which are not known to differ.
fn uncertain_mean(comparison: &Comparison) -> Option<String> {
    let row = commit_mean(comparison)?;
    Some(format!(
        "whether the mean commit differs ({} and {}) is not certain",
        row[1], row[2]
    ))
}

/// Returns the mean commits that were seen.
fn seen(comparison: &Comparison) -> Option<String> {
    let row = commit_mean(comparison)?;
    Some(format!(
        " Seen were {} in A and {} in B ({}).",
        row[1], row[2], row[0]
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
    use logtrace_attribution::cause::Wait;
    use logtrace_common::FileClass;
    use logtrace_events::IoOp;

    use super::*;
    use crate::waited::Waited;

    fn setting(name: &str, a: &str, b: &str) -> Setting {
        Setting {
            name: name.to_owned(),
            a: vec![a.to_owned()],
            b: vec![b.to_owned()],
        }
    }

    fn cause(file: Option<FileClass>, wait: Wait, b: f64, verdict: Verdict) -> CauseChange {
        let waited = Waited {
            file,
            op: file.map(|_| IoOp::Fsync),
            wait,
        };
        let change = Change {
            a: 1_000.0,
            b,
            change: None,
            interval: None,
            p: None,
            verdict,
        };
        CauseChange { waited, change }
    }

    #[test]
    fn certain_changes_within_one_call_are_one() {
        let (redo, differs) = (Some(FileClass::Redo), Verdict::Differs);
        let binlog = cause(Some(FileClass::Binlog), Wait::JournalCommit, 600.0, differs);
        let rows = [
            binlog,
            cause(redo, Wait::DataWriteback, 700.0, differs),
            cause(redo, Wait::DeviceFlush, 750.0, differs),
            cause(redo, Wait::OnCpu, 1_200.0, differs),
            cause(redo, Wait::RunQueue, 100.0, Verdict::CannotTell),
            cause(None, Wait::OnCpu, 1_100.0, differs),
        ];
        assert_eq!(
            causes(&rows).unwrap(),
            "a commit waits 550 ns less for redo fsync (300 ns of it data writeback) and 400 ns less for binlog fsync journal commit"
        );
        assert_eq!(causes(&rows[4..5]), None);
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
        let many = ["a", "b", "c"].map(|name| setting(&format!("{OF_SERVER}{name}"), "0", "1"));
        assert_eq!(settings(&many), "B (3 settings differ)");
        let long = setting("server.settings.sql_mode", "", &"long ".repeat(9));
        assert_eq!(
            settings(&[sync, long]),
            "B (sync_binlog 0 instead of 1 and other sql_mode)"
        );
    }
}
