//! `logtrace workloads`: what requests can do.

use std::fmt::Write as _;

use super::print;
use crate::exit::Exit;

/// Lists the workloads.
pub(crate) fn workloads() -> anyhow::Result<Exit> {
    let mut text = String::new();
    for workload in logtrace_driver::workloads() {
        let commits = if workload.commits() {
            "commits"
        } else {
            "reads only"
        };
        writeln!(
            text,
            "{:<14} {commits:<11} {} (sysbench: {})",
            workload.name, workload.description, workload.alias
        )?;
    }
    print(&text)?;
    Ok(Exit::Done)
}
