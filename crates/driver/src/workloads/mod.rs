//! What requests consist of. A workload is one file and one row in [`WORKLOADS`].

use std::fmt;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Statement};
use thiserror::Error;

use crate::draw::Draw;
use crate::floor::Seat;
use crate::worker::{Preparing, prepare};

use self::one_row::OneRow;

mod insert;
mod one_row;
mod point_select;
mod update_key;
mod update_nokey;
mod write_only_10;

/// How one kind of request is made. An implementation holds what it has prepared on its connection.
pub(crate) trait Workload: Sized + 'static {
    /// What differs between two requests.
    type Values;

    /// Prepares the statements for this many tables.
    async fn prepare(conn: &mut Conn, tables: u32) -> mysql_async::Result<Self>;

    /// Draws the values of one request.
    fn draw(&self, draw: &mut Draw) -> Self::Values;

    /// Issues one request with these values, again with the same ones after a deadlock.
    async fn issue(&self, conn: &mut Conn, values: &Self::Values) -> mysql_async::Result<()>;
}

/// A workload that can be driven.
#[derive(Clone, Copy)]
pub struct WorkloadInfo {
    /// Its name in commands and reports.
    pub name: &'static str,
    /// The sysbench script that does the same, with the options that it needs for that.
    pub alias: &'static str,
    /// One sentence on what a request is.
    pub description: &'static str,
    /// Whether a request commits a transaction that changes data.
    pub commits: bool,
    pub(crate) prepare: fn(Conn, Seat) -> Preparing,
}

/// Every workload.
const WORKLOADS: &[WorkloadInfo] = &[
    WorkloadInfo {
        name: "update_key",
        alias: "oltp_update_index",
        description: "one autocommitted UPDATE of an indexed column by primary key",
        commits: true,
        prepare: prepare::<OneRow<update_key::UpdateKey>>,
    },
    WorkloadInfo {
        name: "update_nokey",
        alias: "oltp_update_non_index",
        description: "one autocommitted UPDATE of a text column without index by primary key",
        commits: true,
        prepare: prepare::<update_nokey::UpdateNokey>,
    },
    WorkloadInfo {
        name: "insert",
        alias: "oltp_insert",
        description: "one autocommitted INSERT of a row, sent as text",
        commits: true,
        prepare: prepare::<insert::Insert>,
    },
    WorkloadInfo {
        name: "write_only_10",
        alias: "oltp_write_only --index-updates=10 --non-index-updates=0 --delete-inserts=0",
        description: "one transaction of ten UPDATEs of an indexed column by primary key, in a table drawn at random",
        commits: true,
        prepare: prepare::<write_only_10::WriteOnly10>,
    },
    WorkloadInfo {
        name: "point_select",
        alias: "oltp_point_select",
        description: "one SELECT of a row by primary key; nothing is committed",
        commits: false,
        prepare: prepare::<OneRow<point_select::PointSelect>>,
    },
];

/// Every workload, in the order in which lists show them.
pub fn workloads() -> &'static [WorkloadInfo] {
    WORKLOADS
}

impl WorkloadInfo {
    /// The workload of this name or alias.
    pub fn find(name: &str) -> Result<&'static Self, UnknownWorkload> {
        WORKLOADS
            .iter()
            .find(|workload| workload.name == name || workload.alias == name)
            .ok_or_else(|| UnknownWorkload(name.into()))
    }
}

impl fmt::Debug for WorkloadInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorkloadInfo").field(&self.name).finish()
    }
}

/// No such workload.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown workload {0:?}: choose one of {names}", names = names())]
pub struct UnknownWorkload(String);

fn names() -> String {
    let names: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
    names.join(", ")
}

/// Prepares a statement on each table; the first is that of `sbtest1`.
///
/// They are held by the workload: the connection's own cache would prepare anew once there are more than it keeps.
async fn prepare_each(
    conn: &mut Conn,
    tables: u32,
    sql: impl Fn(u32) -> String,
) -> mysql_async::Result<Vec<Statement>> {
    let mut statements = Vec::new();
    for table in 1..=tables {
        statements.push(conn.prep(sql(table)).await?);
    }
    Ok(statements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_find_their_workload_and_no_other() {
        for workload in workloads() {
            assert_eq!(WorkloadInfo::find(workload.name).unwrap().name, workload.name);
            assert_eq!(WorkloadInfo::find(workload.alias).unwrap().name, workload.name);
        }
        let error = WorkloadInfo::find("tpcc").unwrap_err();
        assert!(error.to_string().contains("point_select"), "{error}");
    }
}
