//! Transactions that held commits up.

use std::cmp::Reverse;

use logtrace_attribution::breakdown::LARGE_BYTES;
use logtrace_common::inert::shortened;
use logtrace_common::units;

use crate::document::thread_names::account;
use crate::document::{Commits, Document, Holders, NameSource, SessionRow, TransactionRow};
use crate::render::sections::session;
use crate::render::table::Table;

/// Part of the longest commit from which a wait for a large transaction is told: a quarter. And part of all commit time.
const PART_OF_LONGEST: u64 = 4;
const PART_OF_ALL: u64 = 20;

/// Most transactions in the table.
const MOST_SHOWN: usize = 5;

/// Most letters of a connection and of a statement in the table.
const LETTERS_OF_NAME: usize = 27;
const LETTERS_IN_TABLE: usize = 28;

/// Somebody who held commits up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Culprit {
    /// Time for which commits waited, as far as it can be told.
    pub(crate) ns: u64,
    pub(crate) sentence: String,
}

/// Title of the table.
pub(crate) const TITLE: &str = "large transactions, and the commits that waited for them";

/// Returns the large transaction for which other commits waited longest, or `None` if no large one held up enough.
pub(crate) fn transaction(document: &Document) -> Option<Culprit> {
    let (commits, holders) = measured(document)?;
    let mut large = large(holders).filter(|row| is_notable(row, commits));
    let row = large.next()?;
    let size = units::bytes(row.bytes.unwrap_or(0));
    let what = match row.together {
        1 => format!("A transaction of {size}"),
        together => format!(
            "A group of {} transactions of {size} together",
            units::count(together)
        ),
    };
    let who = who(row, holders);
    let waited = match row.commits {
        0 => format!(
            "took {}, and no other commit waited for it",
            units::duration(row.commit)
        ),
        1 => format!("held another commit for {}", units::duration(row.waited)),
        commits => format!(
            "held {} commits for {} together, one of them for {}",
            units::count(commits),
            units::duration(row.waited),
            units::duration(row.longest)
        ),
    };
    Some(Culprit {
        ns: row.waited,
        sentence: format!("{what} ({who}) {waited}."),
    })
}

/// Returns the large transactions of the window, or `None` if there were none.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let (_, holders) = measured(document)?;
    let rows = large(holders).take(MOST_SHOWN).map(|row| {
        let session = row.session.as_ref();
        let name = session.map_or_else(|| format!("thread {}", row.thread), account);
        let name = match row.together {
            1 => name,
            together => format!("{} led by {name}", units::count(together)),
        };
        // The leader of a group need not be the one that wrote most.
        let session = session.filter(|_| row.together == 1);
        let statement = session.and_then(|session| session.statement.as_deref());
        vec![
            shortened(&name, LETTERS_OF_NAME),
            shortened(statement.unwrap_or_default(), LETTERS_IN_TABLE),
            units::bytes(row.bytes.unwrap_or(0)),
            units::duration(row.ns),
            units::count(row.commits),
            units::duration(row.waited),
        ]
    });
    let header = ["transaction", "statement", "binlog", "took", "commits", "waited"];
    Table::new(2, header, rows)
}

/// Returns what is missing to name the transactions, if there are large ones.
pub(crate) fn without_names(document: &Document) -> Option<&'static str> {
    let (_, holders) = measured(document)?;
    large(holders).next()?;
    match holders.names {
        NameSource::Server => None,
        NameSource::ThreadPool => Some(
            "The connections of transactions are not known: a pool of threads serves them, and a thread has none of its own.",
        ),
        NameSource::NoLogin => Some(
            "With a login (logtrace trace mysql://USER@HOST), transactions have their connection, user, host and statement.",
        ),
        NameSource::Refused => Some(
            "The login may not see other connections: GRANT PROCESS ON *.* and GRANT SELECT ON performance_schema.* name \
             them.",
        ),
    }
}

/// Returns the commits and who held them up, if there were commits.
pub(super) fn measured(document: &Document) -> Option<(&Commits, &Holders)> {
    let commits = document.commits.as_ref().filter(|commits| commits.count > 0)?;
    Some((commits, document.holders.as_ref()?))
}

/// Returns the large transactions, those for which others waited longest first.
fn large(holders: &Holders) -> impl Iterator<Item = &TransactionRow> {
    let is_large = |row: &&TransactionRow| row.bytes.is_some_and(|bytes| bytes >= LARGE_BYTES);
    let mut rows: Vec<_> = holders.transactions.iter().filter(is_large).collect();
    rows.sort_by_key(|row| Reverse((row.waited, row.bytes)));
    rows.into_iter()
}

/// Returns whether a transaction made one of the longest commits, or a part of all commit time.
fn is_notable(row: &TransactionRow, commits: &Commits) -> bool {
    let longest = commits.distribution.max;
    let is_part = |part: u64, whole: u64, of: u64| part > 0 && part >= whole / of;
    commits.distribution.is_longest(row.commit)
        || is_part(row.longest, longest, PART_OF_LONGEST)
        || is_part(row.waited, commits.total, PART_OF_ALL)
}

/// Returns the words for who did a transaction. The one that leads a group need not be the one that wrote most.
fn who(row: &TransactionRow, holders: &Holders) -> String {
    let session = row.session.as_ref();
    let thread = || format!("thread {}", row.thread);
    if row.together > 1 {
        let leader = session.map_or_else(thread, account);
        return format!("led by {leader}; how much each of them wrote is not known");
    }
    let missing = || match session::missing(holders) {
        Some(words) => format!("{}; {words}", thread()),
        None if holders.names == NameSource::Server => {
            format!("{}; its connection ended before it was read", thread())
        }
        None => thread(),
    };
    session.map_or_else(missing, named)
}

/// Returns a connection with its statement.
fn named(session: &SessionRow) -> String {
    match session::statement(session) {
        Some(statement) => format!("{}: {statement}", account(session)),
        None => account(session),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Distribution;
    use crate::document::Server;
    use logtrace_common::Flavor;

    const MS_NS: u64 = 1_000_000;

    fn document(rows: Vec<TransactionRow>, names: NameSource) -> Document {
        let server = Server::sample(Flavor::MySql, &[]);
        Document {
            commits: Some(Commits {
                count: 36_000,
                total: 36_000 * MS_NS,
                distribution: Distribution {
                    max: 93 * MS_NS,
                    ..Distribution::default()
                },
                ..Commits::default()
            }),
            holders: Some(Holders {
                names,
                transactions: rows,
                ..Holders::default()
            }),
            ..Document::new(String::new(), server)
        }
    }

    fn large_row() -> TransactionRow {
        TransactionRow {
            thread: 19_370,
            end: 12_000 * MS_NS,
            ns: 400 * MS_NS,
            commit: 90 * MS_NS,
            bytes: Some(20 << 20),
            together: 1,
            commits: 212,
            waited: 3_100 * MS_NS,
            longest: 88 * MS_NS,
            session: Some(SessionRow {
                thread: 19_370,
                connection: 17,
                user: "app".to_owned(),
                host: "10.0.0.3".to_owned(),
                statement: Some("INSERT INTO `t` SELECT * FROM `source_of_the_rows` WHERE id > ?".to_owned()),
            }),
        }
    }

    #[test]
    fn the_large_transaction_is_named_with_who_waited() {
        let document = document(vec![large_row()], NameSource::Server);
        assert_eq!(
            transaction(&document).unwrap().sentence,
            "A transaction of 20.0 MiB (connection 17, app@10.0.0.3: INSERT INTO `t` SELECT * FROM `source_of_the_rows` WHERE \
             id > ?) held 212 commits for 3.10 s together, one of them for 88.0 ms."
        );
        assert_eq!(
            table(&document).unwrap().rows[0].join(" | "),
            "connection 17, app@10.0.0.3 | INSERT INTO `t` SELECT * FRO... | 20.0 MiB | 400 ms | 212 | 3.10 s"
        );
        assert_eq!(without_names(&document), None);
    }

    #[test]
    fn without_a_login_it_is_said_what_that_would_add() {
        let row = TransactionRow {
            session: None,
            commits: 1,
            ..large_row()
        };
        let without = document(vec![row.clone()], NameSource::NoLogin);
        let text = transaction(&without).unwrap().sentence;
        assert!(
            text.contains("(thread 19370; a login names its statement) held another commit for 3.10 s."),
            "{text}"
        );
        assert!(without_names(&without).unwrap().contains("mysql://USER@HOST"));
        let refused = document(vec![row], NameSource::Refused);
        assert!(
            without_names(&refused)
                .unwrap()
                .contains("GRANT SELECT ON performance_schema.*")
        );
    }

    #[test]
    fn nobody_is_accused_of_usual_commits() {
        let small = TransactionRow {
            bytes: Some(900),
            ..large_row()
        };
        let unknown = TransactionRow {
            bytes: None,
            ..large_row()
        };
        let document = document(vec![small, unknown], NameSource::NoLogin);
        assert_eq!((transaction(&document), table(&document)), (None, None));
        assert_eq!(without_names(&document), None);
    }

    #[test]
    fn a_large_transaction_that_held_up_little_is_only_in_the_table() {
        let row = TransactionRow {
            commit: 20 * MS_NS,
            waited: 30 * MS_NS,
            longest: 10 * MS_NS,
            ..large_row()
        };
        let document = document(vec![row], NameSource::Server);
        assert_eq!(transaction(&document), None);
        assert!(table(&document).is_some());
    }

    #[test]
    fn a_group_whose_members_are_not_told_apart_is_told_as_one() {
        let row = TransactionRow {
            together: 5,
            commits: 0,
            ..large_row()
        };
        let document = document(vec![row], NameSource::Server);
        assert_eq!(
            transaction(&document).unwrap().sentence,
            "A group of 5 transactions of 20.0 MiB together (led by connection 17, app@10.0.0.3; how much each of them wrote \
             is not known) took 90.0 ms, and no other commit waited for it."
        );
        assert_eq!(
            table(&document).unwrap().rows[0][..2],
            ["5 led by connection 17, app...", ""]
        );
    }
}
