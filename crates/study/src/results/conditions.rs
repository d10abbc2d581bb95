//! Conditions of measurements: program, machine, server, load and variables.

use logtrace_common::units;
use logtrace_report::document::{Document, Server, Workload};
use schemars::JsonSchema;
use serde::Serialize;

/// Condition of the measurements of a study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Condition {
    /// Name, such as `machine`, `connections` or the name of a server's variable.
    pub name: String,
    /// Values that measurements had, each once.
    pub values: Vec<String>,
}

/// Returns the conditions of a measurement, each with its value.
pub(crate) fn conditions(document: &Document) -> Vec<(String, String)> {
    let mut conditions = vec![
        ("date".to_owned(), document.started.chars().take(10).collect()),
        ("logtrace".to_owned(), document.logtrace.clone()),
    ];
    if let Some(host) = &document.host {
        let memory = units::size(host.memory_bytes);
        let machine = format!("{} CPUs ({}), {memory} of memory", host.cpus, host.cpu_model);
        conditions.push(("machine".to_owned(), machine));
        conditions.push(("kernel".to_owned(), host.kernel.clone()));
    }
    conditions.push(("server".to_owned(), document.server.name()));
    conditions.push(("file system".to_owned(), file_system(&document.server)));
    let disks = document.host.iter().flat_map(|host| &host.disks);
    conditions.extend(disks.map(|disk| (cache_name(&disk.name), disk.write_cache.clone())));
    let placed = document.server.placement.iter();
    conditions
        .extend(placed.map(|placed| (format!("place of {}", placed.class), placed.file_system.clone())));
    conditions.extend(document.workload.iter().flat_map(load));
    let variables = document.server.settings.iter();
    conditions.extend(variables.map(|(name, value)| (name.clone(), value.clone())));
    conditions.retain(|(_, value)| !value.is_empty());
    conditions
}

/// Returns the name of the condition for the write cache of a disk. Loop devices have any number at each start of a server.
fn cache_name(disk: &str) -> String {
    match disk.starts_with("loop") {
        true => "cache of loop devices".to_owned(),
        false => format!("cache of {disk}"),
    }
}

/// Adds the conditions of one more measurement to those of a study.
pub(crate) fn add_conditions(all: &mut Vec<Condition>, measured: &[(String, String)]) {
    for (name, value) in measured {
        match all.iter_mut().find(|condition| condition.name == *name) {
            Some(condition) if condition.values.contains(value) => {}
            Some(condition) => condition.values.push(value.clone()),
            None => all.push(Condition {
                name: name.clone(),
                values: vec![value.clone()],
            }),
        }
    }
}

/// Describes the file system of the data directory.
fn file_system(server: &Server) -> String {
    match &server.image {
        Some(image) => format!(
            "{} in a file of {} on {}",
            server.file_system,
            units::size(image.bytes),
            image.file_system
        ),
        None => format!("{} on {}", server.file_system, server.device),
    }
}

/// Returns the conditions of the load. Seeds differ from measurement to measurement and are left out.
fn load(workload: &Workload) -> Vec<(String, String)> {
    let name = |name: &str| name.to_owned();
    let rows = workload.rows.map(units::count).unwrap_or_default();
    let placement = workload.cpus.as_ref();
    let cpus = |cpus: Option<&String>| cpus.cloned().unwrap_or_default();
    let mut load = vec![
        (name("workload"), workload.name.clone()),
        (name("connections"), units::count(workload.connections.into())),
        (name("keys"), workload.keys.clone()),
        (name("tables"), units::count(workload.tables.into())),
        (name("rows of a table"), rows),
        (name("protocol"), workload.protocol.clone().unwrap_or_default()),
        (
            name("CPUs of the server"),
            cpus(placement.and_then(|one| one.server.as_ref())),
        ),
        (
            name("CPUs of the load"),
            cpus(placement.and_then(|one| one.client.as_ref())),
        ),
    ];
    let session = workload.session.iter();
    load.extend(session.map(|(name, value)| (format!("session {name}"), value.clone())));
    load
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(conditions: &[(&str, &str)]) -> Vec<(String, String)> {
        conditions
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn each_value_is_there_once_and_in_the_order_of_the_measurements() {
        let mut all = Vec::new();
        add_conditions(
            &mut all,
            &named(&[("server", "MySQL 9.7.4"), ("connections", "1")]),
        );
        add_conditions(
            &mut all,
            &named(&[("server", "MySQL 9.7.4"), ("connections", "32")]),
        );
        add_conditions(
            &mut all,
            &named(&[("server", "MariaDB 10.11.19"), ("connections", "1")]),
        );
        let shown: Vec<String> = all
            .iter()
            .map(|one| format!("{}: {}", one.name, one.values.join(", ")))
            .collect();
        assert_eq!(
            shown,
            ["server: MySQL 9.7.4, MariaDB 10.11.19", "connections: 1, 32"]
        );
    }
}
