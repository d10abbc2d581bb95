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
const OF_ONE_RUN: [&str; 4] = [
    ".control_group",
    ".container.id",
    ".image.device",
    ".device_number",
];

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

/// Passes each value with its path to `each`. A list is one value. Places of files are those of one run.
fn flatten(value: &Value, name: String, each: &mut impl FnMut(String, String)) {
    let text = match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let separator = if name.is_empty() { "" } else { "." };
                flatten(value, format!("{name}{separator}{field}"), each);
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
