//! Settings of runs that differ: of the server, the machine, the load and the tracer.

use std::collections::{BTreeMap, BTreeSet};

use logtrace_report::document::Document;
use serde::Serialize;
use serde_json::{Value, json};

use crate::run::Run;

/// Setting that differs between the sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Name: its path in `run.json`, such as `server.settings.sync_binlog`.
    pub name: String,
    /// Values of the first side; empty where no run has it.
    pub a: Vec<String>,
    /// Values of the second side.
    pub b: Vec<String>,
}

/// Ends of names whose values are of one run alone.
const OF_ONE_RUN: [&str; 5] = [
    ".control_group",
    ".container.id",
    ".image.device",
    ".device_number",
    // Of a disk: the kernel gives it at each start.
    ".number",
];

/// Fields that name the elements of a list.
const NAMES: [&str; 2] = ["name", "class"];

/// Returns the settings that differ.
pub(crate) fn differing(a: &[Run], b: &[Run]) -> Vec<Setting> {
    let (a, b) = (values_of(a), values_of(b));
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let values = |of: &BTreeMap<String, BTreeSet<String>>, name: &String| {
        let values = of.get(name).into_iter().flatten();
        values.cloned().collect::<Vec<_>>()
    };
    let settings = names.into_iter().map(|name| Setting {
        name: name.clone(),
        a: values(&a, name),
        b: values(&b, name),
    });
    settings.filter(|setting| setting.a != setting.b).collect()
}

/// Returns all values of each setting.
fn values_of(runs: &[Run]) -> BTreeMap<String, BTreeSet<String>> {
    let mut values = BTreeMap::<String, BTreeSet<String>>::new();
    for run in runs {
        flatten(&settings(&run.document), String::new(), &mut |name, value| {
            values.entry(name).or_default().insert(value);
        });
    }
    values
}

/// Returns the parts of a document that were set, and not measured.
fn settings(document: &Document) -> Value {
    json!({
        "logtrace": document.logtrace,
        "host": document.host,
        "server": document.server,
        "workload": document.workload,
        "offered_per_s": document.driver.as_ref().and_then(|driver| driver.offered_per_s),
        "tracing": document.tracing,
    })
}

/// Passes each value with its path to `each`: `host.disks.vda.scheduler`. A list of words is one value. Places of files are those
/// of one run.
fn flatten(value: &Value, name: String, each: &mut impl FnMut(String, String)) {
    let text = match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                flatten(value, joined(&name, field), each);
            }
            return;
        }
        Value::Array(values) if values.iter().any(Value::is_object) => {
            for (at, value) in (1..).zip(values) {
                element(value, &name, at, each);
            }
            return;
        }
        Value::Null => return,
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) if values.iter().all(Value::is_string) => {
            let words: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            words.join(", ")
        }
        other => other.to_string(),
    };
    let is_place = name.starts_with("server.settings.") && text.contains('/');
    if !is_place && !OF_ONE_RUN.iter().any(|end| name.ends_with(end)) {
        each(name, text);
    }
}

/// Passes an element of a list on: below its name if it has one, else below its number.
fn element(value: &Value, list: &str, at: usize, each: &mut impl FnMut(String, String)) {
    let named = NAMES
        .iter()
        .find_map(|&field| Some((field, value.get(field)?.as_str()?)));
    let Some((field, name)) = named else {
        return flatten(value, joined(list, &at.to_string()), each);
    };
    let mut value = value.clone();
    if let Value::Object(fields) = &mut value {
        fields.remove(field);
    }
    // Loop devices have any number at each start of a server.
    let name = if name.starts_with("loop") { "loop" } else { name };
    flatten(&value, joined(list, name), each);
}

fn joined(name: &str, field: &str) -> String {
    let separator = if name.is_empty() { "" } else { "." };
    format!("{name}{separator}{field}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_of_a_disk_has_a_name_and_a_readable_value() {
        let disk = |name: &str, scheduler: &str| json!({ "name": name, "number": "254:0", "leg_of": null, "scheduler": scheduler });
        let host = json!({ "host": { "disks": [disk("vda", "none"), disk("loop7", "mq-deadline")], "cpus": 2 }, "list": ["a", "b"] });
        let mut seen = Vec::new();
        flatten(&host, String::new(), &mut |name, value| {
            seen.push(format!("{name} {value}"));
        });
        seen.sort();
        assert_eq!(
            seen,
            [
                "host.cpus 2",
                "host.disks.loop.scheduler mq-deadline",
                "host.disks.vda.scheduler none",
                "list a, b"
            ]
        );
    }
}
