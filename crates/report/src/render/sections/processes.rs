//! Other processes that held commits up: they had the CPU, or wrote to the disk of the logs.

use logtrace_attribution::cause::{Cause, Wait, WaitKind};
use logtrace_common::{inert, units};

use crate::document::{Document, ProcessRow};
use crate::render::sections::holders::{Culprit, measured};
use crate::render::sections::tree;

/// Part of all commit time from which the processes that had the CPU are told, a twentieth, and before anything else.
const PART_OF_ALL: u64 = 20;
const PART_OF_FIRST: u64 = 4;

/// Part of all commit time that is a wait for storage, from which a process that writes is told, and the least that it writes.
const PART_OF_STORAGE: u64 = 10;
const LEAST_WRITTEN: u64 = 16 << 20;

/// Returns the other processes that had the CPU for which commits waited, if that is a quarter of their time.
pub(crate) fn most_cpu(document: &Document) -> Option<Culprit> {
    had_cpu(document).filter(|culprit| is_first(document, culprit))
}

/// Returns the sentence about them, if that is less, but much.
pub(crate) fn less_cpu(document: &Document) -> Option<String> {
    let culprit = had_cpu(document).filter(|culprit| !is_first(document, culprit));
    culprit.map(|culprit| culprit.sentence)
}

fn is_first(document: &Document, culprit: &Culprit) -> bool {
    let commits = document.commits.as_ref();
    commits.is_some_and(|commits| culprit.ns >= commits.total / PART_OF_FIRST)
}

fn had_cpu(document: &Document) -> Option<Culprit> {
    let (commits, holders) = measured(document)?;
    let process = holders.processes.iter().max_by_key(|process| process.cpu)?;
    let rows = document.causes.iter().filter(|row| is_for_process(row.cause));
    let all = units::sum(rows.map(|row| row.total));
    if process.cpu == 0 || all < commits.total / PART_OF_ALL {
        return None;
    }
    let percent = tree::percent_of(&tree::of_commits(document), all, is_for_process);
    let name = named_process(document, process);
    let sentence = match process.cpu >= all / 4 * 3 {
        true => {
            format!("The process {name} had the CPU for which commits waited in {percent} % of their time.")
        }
        false => format!(
            "Other processes had the CPU for which commits waited in {percent} % of their time, most of all {name}: {}.",
            units::whole_percent(process.cpu, commits.total)
        ),
    };
    Some(Culprit { ns: all, sentence })
}

fn is_for_process(cause: Cause) -> bool {
    cause.wait == Wait::RunQueueProcess
}

/// Returns the sentence about the process that wrote most to the file systems of the logs, or `None` if the server wrote more, or
/// commits waited little for local storage. How long they waited because of it is not known.
pub(crate) fn writer(document: &Document) -> Option<String> {
    let (commits, holders) = measured(document)?;
    let process = holders.processes.iter().max_by_key(|process| process.written)?;
    let by_server = units::sum(document.files().iter().map(|file| file.bytes));
    let of_storage = document
        .causes
        .iter()
        .filter(|row| row.cause.wait.kind() == WaitKind::Storage && row.cause.wait != Wait::FileServer);
    let waited = units::sum(of_storage.map(|row| row.total));
    let is_much = process.written >= LEAST_WRITTEN && process.written > by_server;
    (is_much && waited >= commits.total / PART_OF_STORAGE).then(|| {
        format!(
            "The process {} wrote {} to the file system of the logs, the server {} in all.",
            named_process(document, process),
            units::bytes(process.written),
            units::bytes(by_server)
        )
    })
}

/// Returns the name of a process, and its control group if that is neither the one of all processes nor that of the server.
fn named_process(document: &Document, process: &ProcessRow) -> String {
    let group = process.control_group.as_ref().filter(|&group| group != "/");
    let group = group.filter(|&group| document.server.control_group.as_ref() != Some(group));
    let group = group.map_or_else(String::new, |group| format!(" (control group {group})"));
    inert::line(&format!("{}{group}", process.name))
}

#[cfg(test)]
mod tests {
    use logtrace_common::Flavor;

    use super::*;
    use crate::document::{CauseRow, Commits, Holders, Server};

    const MS_NS: u64 = 1_000_000;

    fn document(process: ProcessRow) -> Document {
        let server = Server::sample(Flavor::MySql, &[]);
        Document {
            commits: Some(Commits {
                count: 36_000,
                total: 36_000 * MS_NS,
                ..Commits::default()
            }),
            holders: Some(Holders {
                processes: vec![process],
                ..Holders::default()
            }),
            ..Document::new(String::new(), server)
        }
    }

    #[test]
    fn a_process_that_had_the_cpu_is_named() {
        let mut process = ProcessRow {
            name: "stress".to_owned(),
            control_group: Some("/user.slice".to_owned()),
            cpu: 9_000 * MS_NS,
            commits: 5_000,
            written: 0,
        };
        let mut document = document(process.clone());
        assert_eq!(most_cpu(&document), None);
        document.causes = vec![
            cause(Wait::RunQueueProcess, 10_080 * MS_NS),
            cause(Wait::OnCpu, 25_920 * MS_NS),
        ];
        let sentence = "The process stress (control group /user.slice) had the CPU for which commits waited in 28 % of their time.";
        let told = |document: &Document| {
            let first = most_cpu(document).map(|culprit| culprit.sentence);
            (first, less_cpu(document))
        };
        assert_eq!(told(&document), (Some(sentence.to_owned()), None));
        let sentence = "The process stress had the CPU for which commits waited in 28 % of their time.";
        document.server.control_group = Some("/user.slice".to_owned());
        assert_eq!(told(&document).0.unwrap(), sentence);
        document.server.control_group = None;
        let groups = [None, Some("/".to_owned())];
        for group in groups {
            document.holders.as_mut().unwrap().processes[0].control_group = group;
            assert_eq!(told(&document).0.unwrap(), sentence);
        }
        process.cpu = 4_000 * MS_NS;
        document.holders.as_mut().unwrap().processes = vec![process];
        assert_eq!(
            most_cpu(&document).unwrap().sentence,
            "Other processes had the CPU for which commits waited in 28 % of their time, most of all stress (control group \
             /user.slice): 11 %."
        );
        document.causes[0].total = 36_000 * MS_NS / 5;
        let (first, later) = told(&document);
        assert!(first.is_none() && later.is_some());
        document.causes[0].total = 36_000 * MS_NS / 21;
        assert_eq!(told(&document), (None, None));
    }

    fn cause(wait: Wait, total: u64) -> CauseRow {
        CauseRow {
            cause: Cause::own(wait),
            total,
            commits: 1,
            slowest: 0,
        }
    }

    #[test]
    fn a_process_that_writes_more_than_the_server_is_named_where_storage_is_waited_for() {
        let mut document = document(ProcessRow {
            name: "dd".to_owned(),
            written: 4 << 30,
            ..ProcessRow::default()
        });
        assert_eq!(writer(&document), None);
        document.causes = vec![cause(Wait::JournalCommit, 4_000 * MS_NS)];
        assert_eq!(
            writer(&document).unwrap(),
            "The process dd wrote 4.00 GiB to the file system of the logs, the server 0 B in all."
        );
        document.causes.push(cause(Wait::FileServer, 36_000 * MS_NS));
        document.causes[0].total = MS_NS;
        assert_eq!(writer(&document), None);
        document.causes[0].total = 4_000 * MS_NS;
        document.holders.as_mut().unwrap().processes[0].written = LEAST_WRITTEN - 1;
        assert_eq!(writer(&document), None);
    }
}
