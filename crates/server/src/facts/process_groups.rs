//! Control groups of processes by their names.

use std::collections::BTreeMap;
use std::io::Read;

use logtrace_common::inert;
use procfs::process::{Process, all_processes};

use crate::facts::container::ControlGroupFacts;

/// Most bytes that are read of the list of a process's groups.
const MOST_BYTES: u64 = 1 << 16;

/// Returns for each of these names the control group of a process that has it now, if there is one. Of several, it is that of the
/// process with the lowest id. A process may give itself any name, so this is for display alone.
pub fn control_groups_of(names: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if names.is_empty() {
        return found;
    }
    let mut processes: Vec<Process> = all_processes().into_iter().flatten().flatten().collect();
    processes.sort_unstable_by_key(Process::pid);
    for process in processes {
        let Ok(stat) = process.stat() else {
            continue;
        };
        if names.contains(&stat.comm)
            && !found.contains_key(&stat.comm)
            && let Some(group) = control_group(&process)
        {
            found.insert(stat.comm, group);
        }
    }
    found
}

fn control_group(process: &Process) -> Option<String> {
    let mut text = String::new();
    let file = process.open_relative("cgroup").ok()?;
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(inert::line(&ControlGroupFacts::parse(&text)?.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_runs_has_its_group_and_others_have_none() {
        let own = Process::myself().unwrap().stat().unwrap().comm;
        let found = control_groups_of(&[own.clone(), "no such name".to_owned()]);
        assert_eq!(found.keys().collect::<Vec<_>>(), [&own]);
        assert!(found[&own].starts_with('/'), "{found:?}");
    }
}
