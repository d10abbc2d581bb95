//! Statements by stage, their long waits before commits, and who held them up.

use logtrace_attribution::breakdown::Part;
use logtrace_common::inert::shortened;
use logtrace_common::thread_handling::UNKNOWN;
use logtrace_common::units;

use crate::document::{CutStatements, Document, LockHolder, LongWaits, StatementStages};
use crate::render::sections::session;
use crate::render::table::Table;

/// Share of the time of statements below which a cause is left to `run.json`, and of the window below which waits are not in the
/// answer.
const SMALL: f64 = 0.01;

/// Part of the waits from which a holder is named, and part of its time from which its client is said to be idle: a quarter.
const LEAST_SHARE: u64 = 4;

/// Times by which a wait exceeds the slowest commit if it is in the answer whatever all commits took.
const OUTLIER: u64 = 10;

/// Length of a wait from which it is in the answer if it exceeds the slowest commit: people notice a second.
const LONG_NS: u64 = 1_000_000_000;

/// Most holders of a lock in the table.
const MOST_HOLDERS: usize = 3;

/// Most letters of a session in the table.
const LETTERS_IN_TABLE: usize = 30;

/// Returns the number of statements and their mean time in the server, or `None` if that is not known.
pub(crate) fn title(document: &Document) -> Option<String> {
    let of = document.stages.as_ref()?;
    Some(format!(
        "statements in the server: {}, mean {}",
        units::count(of.statements),
        units::mean_duration(of.total, of.statements)
    ))
}

/// Returns which statements are known in part, or why none is known.
pub(crate) fn note(document: &Document) -> Option<String> {
    match &document.stages {
        Some(of) => cut(of.cut?),
        None => document
            .commits
            .as_ref()
            .and(document.server.thread_pool())
            .map(pooled),
    }
}

fn cut(of: CutStatements) -> Option<String> {
    let at_start = format!(
        "{} of these statements ran already when tracing began",
        of.at_start
    );
    let at_end = format!("{} more had not ended when tracing did", of.at_end);
    match (of.at_start, of.at_end) {
        (0, 0) => None,
        (0, _) => Some(at_end),
        (_, 0) => Some(at_start),
        _ => Some(format!("{at_start}, and {at_end}")),
    }
}

fn pooled(handling: &str) -> String {
    match handling {
        UNKNOWN => "the server does not tell whether a pool of threads serves its connections, so no statement is told from the \
                    idle time of a thread"
            .to_owned(),
        _ => format!(
            "a pool of threads serves the connections (thread_handling={handling}): --detail full tells statements from the \
             idle time of a thread, where connections are not encrypted"
        ),
    }
}

/// Returns the stages in the order of time; of a run with its own parts of the response times, none.
pub(crate) fn stages(document: &Document) -> Option<Table> {
    let of = document.stages.as_ref().filter(|_| document.response.is_none())?;
    let stages = [
        (Part::BeforeCommit, of.before_commit),
        (Part::Commit, of.commit),
        (Part::AfterCommit, of.after_commit),
    ];
    let rows = stages.into_iter().map(|(stage, total)| {
        vec![
            stage.as_str().to_owned(),
            units::mean_duration(total, of.statements),
            units::percent(total, of.total),
        ]
    });
    Table::new(1, ["", "mean", "share"], rows)
}

/// Returns the waits of 1 ms and more before commits that were much of the time, with the sessions that held the locks.
pub(crate) fn waits(document: &Document) -> Option<Table> {
    let of = document.stages.as_ref()?;
    let is_large = |row: &&LongWaits| units::share(row.total, of.total).is_some_and(|share| share >= SMALL);
    let mut rows = Vec::new();
    for row in of.waits.iter().filter(is_large) {
        rows.push(cells(row.cause.words(), row.count, row.total, of));
        let holders = row.held_by.iter().take(MOST_HOLDERS);
        rows.extend(holders.map(|holder| cells(held_by(document, holder), holder.count, holder.total, of)));
    }
    let header = ["waits of 1 ms and more before commits", "waits", "time", "share"];
    Table::new(1, header, rows.into_iter())
}

fn cells(words: String, count: u64, time: u64, of: &StatementStages) -> Vec<String> {
    vec![
        words,
        units::count(count),
        units::duration(time),
        units::percent(time, of.total),
    ]
}

/// Returns who held a lock, how long others waited meanwhile, and how long its client let it wait.
fn held_by(document: &Document, holder: &LockHolder) -> String {
    let held = units::duration(holder.held);
    let name = session::name(document, holder.tid, holder.session.as_ref());
    let session = shortened(&name, LETTERS_IN_TABLE);
    let held = format!("└ {session} held it {held}");
    match holder.idle {
        0 => held,
        idle => format!("{held}, client idle {}", units::duration(idle)),
    }
}

/// Returns the sentence about the long waits before commits, or `None` if they were short: against the window, or against both
/// the time of all commits and the slowest one.
pub(crate) fn sentence(document: &Document) -> Option<String> {
    let of = document.stages.as_ref()?;
    let largest = of.waits.first()?;
    let commits = document.commits.as_ref();
    let (commits_ns, slowest_ns) =
        commits.map_or((0, 0), |commits| (commits.total, commits.distribution.max));
    let is_more = of.waited > commits_ns;
    let is_long = largest.longest >= LONG_NS && largest.longest > slowest_ns;
    let is_outlier = is_long || largest.longest / OUTLIER > slowest_ns;
    let window_ns = document.window_s().unwrap_or(0.0) * 1e9;
    if units::real(of.waited) < window_ns * SMALL || !(is_more || is_outlier) {
        return None;
    }
    let than = match is_more && commits_ns > 0 {
        true => format!(", more than all commits took ({})", units::duration(commits_ns)),
        false => String::new(),
    };
    Some(format!(
        "Statements waited {} before their commits{than}: {}.",
        units::duration(of.waited),
        reason(document, of, largest)
    ))
}

/// Returns the largest cause of the waits, and who held the lock if one session was much of it.
fn reason(document: &Document, of: &StatementStages, largest: &LongWaits) -> String {
    let share = units::whole_percent(largest.total, of.waited);
    let cause = format!("{share} is {}", largest.cause.words());
    let holder = largest.held_by.first();
    let Some(holder) = holder.filter(|holder| holder.total >= largest.total / LEAST_SHARE) else {
        return cause;
    };
    let held = format!(
        "{cause}, held by {} for {}",
        session::with_statement(document, holder.tid, holder.session.as_ref()),
        units::duration(holder.held)
    );
    match holder.idle {
        idle if idle >= holder.held / LEAST_SHARE => {
            format!("{held}, whose client was idle for {}", units::duration(idle))
        }
        _ => held,
    }
}
