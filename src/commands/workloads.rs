//! `logtrace workloads`: what requests can do.

use std::fmt::Write as _;

use super::print;
use crate::exit::Exit;

/// Lists the workloads.
pub(crate) fn workloads() -> anyhow::Result<Exit> {
    let mut text = String::new();
    for workload in logtrace_driver::workloads() {
        let commits = if workload.commits { "commits" } else { "reads only" };
        writeln!(
            text,
            "{:<14} {:<24} {commits:<11} {}",
            workload.name, workload.alias, workload.description
        )?;
    }
    print(&text)?;
    Ok(Exit::Done)
}
