//! Built-in workloads. A workload of sysbench's statements is one row in [`WORKLOADS`].

use std::fmt;

use thiserror::Error;

use crate::workloads::sysbench::script::Script;
use crate::workloads::sysbench::statement_groups::StatementGroup;
use crate::workloads::tpcc::options as tpcc;

/// Built-in workload.
#[derive(Clone, Copy)]
pub struct WorkloadInfo {
    /// Name in commands and reports.
    pub name: &'static str,
    /// Equivalent sysbench script, with its options.
    pub alias: Option<&'static str>,
    /// Description of a request in one sentence.
    pub description: &'static str,
    /// Script of sysbench; `None` for the transactions of [`crate::workloads::tpcc`].
    pub(crate) script: Option<Script>,
}

const fn scripted(
    name: &'static str,
    alias: &'static str,
    description: &'static str,
    script: Script,
) -> WorkloadInfo {
    WorkloadInfo {
        name,
        alias: Some(alias),
        description,
        script: Some(script),
    }
}

/// All built-in workloads.
const WORKLOADS: &[WorkloadInfo] = &[
    scripted(
        "update_key",
        "oltp_update_index",
        "one autocommitted UPDATE of an indexed column by primary key",
        Script::single(&[(StatementGroup::IndexUpdates, 1)]),
    ),
    scripted(
        "update_nokey",
        "oltp_update_non_index",
        "one autocommitted UPDATE of a text column without index by primary key",
        Script::single(&[(StatementGroup::NonIndexUpdates, 1)]),
    ),
    scripted(
        "insert",
        "oltp_insert",
        "one autocommitted INSERT of a row, sent as text",
        Script::single(&[(StatementGroup::Inserts, 1)]).fixed().as_text(),
    ),
    scripted(
        "delete",
        "oltp_delete",
        "one autocommitted DELETE of a row by primary key; over time more of them find no row",
        Script::single(&[(StatementGroup::Deletes, 1)]).fixed(),
    ),
    scripted(
        "write_only",
        "oltp_write_only",
        "one transaction: an UPDATE of an indexed column, one of a column without index, a DELETE and an INSERT of the \
         same row",
        Script::transaction(WRITES, 0),
    ),
    scripted(
        "write_only_10",
        "oltp_write_only --index-updates=10 --non-index-updates=0 --delete-inserts=0",
        "one transaction of ten UPDATEs of an indexed column by primary key, in a random table",
        Script::transaction(
            &[
                (StatementGroup::IndexUpdates, 10),
                (StatementGroup::NonIndexUpdates, 0),
                (StatementGroup::DeleteInserts, 0),
            ],
            0,
        ),
    ),
    scripted(
        "read_write",
        "oltp_read_write",
        "one transaction: the 14 reads of read_only, then the 4 writes of write_only",
        Script::transaction(READS_AND_WRITES, 0),
    ),
    scripted(
        "read_only",
        "oltp_read_only",
        "one transaction of 10 SELECTs of a row and 4 of a range: plain, SUM, ORDER BY, DISTINCT; nothing is committed",
        Script::transaction(READS, 1),
    ),
    scripted(
        "point_select",
        "oltp_point_select",
        "one SELECT of a row by primary key; nothing is committed",
        Script::single(&[(StatementGroup::PointSelects, 1)]).fixed(),
    ),
    WorkloadInfo {
        name: tpcc::NAME,
        alias: None,
        description: "TPC-C-like: one of the transactions new order, payment, order status, delivery and stock level",
        script: None,
    },
];

const READS: &[(StatementGroup, u32)] = &[
    (StatementGroup::PointSelects, 10),
    (StatementGroup::SimpleRanges, 1),
    (StatementGroup::SumRanges, 1),
    (StatementGroup::OrderRanges, 1),
    (StatementGroup::DistinctRanges, 1),
];

const WRITES: &[(StatementGroup, u32)] = &[
    (StatementGroup::IndexUpdates, 1),
    (StatementGroup::NonIndexUpdates, 1),
    (StatementGroup::DeleteInserts, 1),
];

const READS_AND_WRITES: &[(StatementGroup, u32)] = &[
    READS[0], READS[1], READS[2], READS[3], READS[4], WRITES[0], WRITES[1], WRITES[2],
];

/// Returns all built-in workloads, in the order in which lists show them.
pub fn workloads() -> &'static [WorkloadInfo] {
    WORKLOADS
}

impl WorkloadInfo {
    /// Finds the workload with this name or alias.
    pub fn find(name: &str) -> Result<&'static Self, UnknownWorkload> {
        WORKLOADS
            .iter()
            .find(|workload| workload.name == name || workload.alias == Some(name))
            .ok_or_else(|| UnknownWorkload(name.into()))
    }

    /// Returns whether a request changes data, so that its commit waits for the logs.
    pub fn commits(&self) -> bool {
        self.script
            .is_none_or(|script| script.groups.iter().any(|(group, _)| group.writes()))
    }
}

impl fmt::Debug for WorkloadInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorkloadInfo").field(&self.name).finish()
    }
}

/// Error for an unknown workload.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown workload {0:?}: choose one of {names}, or name a file of your own (FILE.toml)", names = names())]
pub struct UnknownWorkload(String);

fn names() -> String {
    let names: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_read_workloads_do_not_commit() {
        let reads = workloads().iter().filter(|workload| !workload.commits());
        let names: Vec<&str> = reads.map(|workload| workload.name).collect();
        assert_eq!(names, ["read_only", "point_select"]);
    }

    #[test]
    fn names_and_aliases_find_their_workload() {
        for workload in workloads() {
            assert_eq!(WorkloadInfo::find(workload.name).unwrap().name, workload.name);
            if let Some(alias) = workload.alias {
                assert_eq!(WorkloadInfo::find(alias).unwrap().name, workload.name);
            }
        }
        for script in [
            "oltp_delete",
            "oltp_read_only",
            "oltp_write_only",
            "oltp_read_write",
        ] {
            assert!(WorkloadInfo::find(script).is_ok(), "{script}");
        }
        let error = WorkloadInfo::find("tpch").unwrap_err();
        assert!(error.to_string().contains("point_select"), "{error}");
    }
}
