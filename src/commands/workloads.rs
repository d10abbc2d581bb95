//! `logtrace workloads`: lists the workloads.

use std::fmt::Write as _;

use super::print::print;
use crate::exit::Exit;

pub(crate) fn workloads() -> anyhow::Result<Exit> {
    let mut text = String::new();
    for workload in logtrace_driver::workloads() {
        let commits = if workload.commits() {
            "commits"
        } else {
            "reads only"
        };
        let alias = workload.alias.map(|alias| format!(" (sysbench: {alias})"));
        writeln!(
            text,
            "{:<14} {commits:<11} {}{}",
            workload.name,
            workload.description,
            alias.unwrap_or_default()
        )?;
    }
    writeln!(
        text,
        "{:<26} SQL of your own, from a file (docs/workloads.md)",
        "FILE.toml"
    )?;
    print(&text)?;
    Ok(Exit::Done)
}
