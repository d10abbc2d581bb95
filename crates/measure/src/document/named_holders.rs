//! Connections of the threads and transactions that commits waited for; pure.

use std::collections::BTreeMap;

use logtrace_attribution::cause::Wait;
use logtrace_report::document::{Document, LockHolder, SessionRow};

use crate::measurement::{Answer, NamedThreads};

/// Time after the end of a transaction for which its thread mostly has the same connection.
const SAME_NS: i128 = 5_000_000_000;

/// Adds the connections that were read: to each transaction and each holder of a lock that of its thread at that time, and for
/// each thread the last one.
pub(crate) fn name(document: &mut Document, named: &NamedThreads) {
    for holder in lock_holders(document) {
        holder.session = session_of(holder.tid, holder.held, holder.end, named);
    }
    let Some(holders) = &mut document.holders else {
        return;
    };
    holders.names = named.source;
    for row in &mut holders.transactions {
        row.session = session_of(row.thread, row.ns, row.end, named);
    }
    let answers = named.answers.iter();
    let last: BTreeMap<u32, &SessionRow> = answers
        .map(|answer| (answer.session.thread, &answer.session))
        .collect();
    holders.sessions = last.into_values().cloned().collect();
}

/// Keeps the names of an earlier explanation of the same records.
pub(crate) fn keep_names(document: &mut Document, before: &Document) {
    let known: BTreeMap<(Wait, u32), Option<SessionRow>> = held_locks(before)
        .map(|(wait, holder)| ((wait, holder.tid), holder.session.clone()))
        .collect();
    for row in document.stages.iter_mut().flat_map(|stages| &mut stages.waits) {
        for holder in &mut row.held_by {
            holder.session = known.get(&(row.cause.wait, holder.tid)).cloned().flatten();
        }
    }
    let (Some(holders), Some(before)) = (&mut document.holders, &before.holders) else {
        return;
    };
    holders.names = before.names;
    holders.sessions.clone_from(&before.sessions);
    for process in &mut holders.processes {
        let mut same = before.processes.iter();
        let same = same.find(|one| one.name == process.name);
        process.control_group = same.and_then(|one| one.control_group.clone());
    }
    for row in &mut holders.transactions {
        let mut same = before.transactions.iter();
        let same = same.find(|one| (one.thread, one.end) == (row.thread, row.end));
        row.session = same.and_then(|one| one.session.clone());
    }
}

fn lock_holders(document: &mut Document) -> impl Iterator<Item = &mut LockHolder> {
    let rows = document.stages.iter_mut().flat_map(|stages| &mut stages.waits);
    rows.flat_map(|row| &mut row.held_by)
}

fn held_locks(document: &Document) -> impl Iterator<Item = (Wait, &LockHolder)> {
    let rows = document.stages.iter().flat_map(|stages| &stages.waits);
    rows.flat_map(|row| row.held_by.iter().map(|holder| (row.cause.wait, holder)))
}

/// Returns the first connection of a thread that was read in the `ns` before `end`, from the start of the window, or shortly
/// after.
fn session_of(thread: u32, ns: u64, end: u64, named: &NamedThreads) -> Option<SessionRow> {
    let end_ns = i128::from(named.start_ns) + i128::from(end);
    let lasted = end_ns - i128::from(ns)..=end_ns + SAME_NS;
    let is_its =
        |answer: &&Answer| answer.session.thread == thread && lasted.contains(&i128::from(answer.at_ns));
    let found = named.answers.iter().find(is_its)?;
    Some(found.session.clone())
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::{Holders, LongWaits, NameSource, StatementStages, TransactionRow};
    use logtrace_attribution::cause::Cause;

    use super::*;
    use crate::samples::trace_document;

    const SECOND_NS: u64 = 1_000_000_000;

    fn answer(at_s: u64, thread: u32, connection: u64) -> Answer {
        Answer {
            at_ns: at_s * SECOND_NS,
            session: SessionRow {
                thread,
                connection,
                ..SessionRow::default()
            },
        }
    }

    fn row(thread: u32, end_s: u64, length_s: u64) -> TransactionRow {
        TransactionRow {
            thread,
            end: end_s * SECOND_NS,
            ns: length_s * SECOND_NS,
            ..TransactionRow::default()
        }
    }

    fn lock(end_s: u64) -> LongWaits {
        LongWaits {
            cause: Cause::own(Wait::RowLock),
            count: 1,
            total: 2 * SECOND_NS,
            longest: 2 * SECOND_NS,
            held_by: vec![LockHolder {
                tid: 7,
                held: 2 * SECOND_NS,
                end: end_s * SECOND_NS,
                ..LockHolder::default()
            }],
        }
    }

    /// Returns a document that has these and is named.
    fn named(transactions: Vec<TransactionRow>, waits: Vec<LongWaits>) -> Document {
        let mut document = trace_document();
        document.holders = Some(Holders {
            transactions,
            ..Holders::default()
        });
        document.stages = Some(StatementStages {
            waits,
            ..StatementStages::default()
        });
        let answers = vec![
            answer(99, 7, 1),
            answer(119, 7, 2),
            answer(126, 8, 3),
            answer(134, 7, 4),
        ];
        let named = NamedThreads {
            source: NameSource::Server,
            start_ns: 100 * SECOND_NS,
            answers,
        };
        name(&mut document, &named);
        document
    }

    fn transactions() -> Vec<TransactionRow> {
        vec![row(7, 20, 2), row(8, 20, 2), row(7, 30, 1), row(7, 1, 50)]
    }

    #[test]
    fn a_transaction_has_the_connection_of_its_time() {
        let holders = named(transactions(), Vec::new()).holders.unwrap();
        let connection = |row: &TransactionRow| row.session.as_ref().map(|session| session.connection);
        let found: Vec<_> = holders.transactions.iter().map(connection).collect();
        assert_eq!(found, [Some(2), None, Some(4), Some(1)]);
        let sessions: Vec<_> = holders
            .sessions
            .iter()
            .map(|one| (one.thread, one.connection))
            .collect();
        assert_eq!(sessions, [(7, 4), (8, 3)]);
    }

    #[test]
    fn a_holder_of_a_lock_has_the_connection_of_its_time() {
        for (end_s, expected) in [(21, Some(2)), (20, Some(2)), (30, Some(4)), (10, None)] {
            let document = named(Vec::new(), vec![lock(end_s)]);
            let (_, holder) = held_locks(&document).next().unwrap();
            let found = holder.session.as_ref().map(|session| session.connection);
            assert_eq!(found, expected, "{end_s}");
        }
    }

    #[test]
    fn names_stay_with_the_same_transactions_and_locks() {
        let before = named(transactions(), vec![lock(20)]);
        let mut again = before.clone();
        let holders = again.holders.as_mut().unwrap();
        holders.names = NameSource::NoLogin;
        holders.sessions.clear();
        holders.transactions.iter_mut().for_each(|row| row.session = None);
        holders.transactions.push(row(7, 21, 2));
        lock_holders(&mut again).for_each(|holder| holder.session = None);
        keep_names(&mut again, &before);
        let added = again.holders.as_mut().unwrap().transactions.pop();
        assert_eq!(added.unwrap().session, None);
        assert_eq!(again, before);
    }
}
