//! Documents of schema 1, which `logtrace report` still reads.

use serde_json::{Map, Value, json};

use crate::document::SCHEMA;

/// Turns a document of schema 1 into one of the current schema. Fields that schema 1 did not have are empty or null.
pub(crate) fn upgrade(mut document: Value) -> Value {
    let is_traced = document.get("tracer").is_some_and(|tracer| !tracer.is_null());
    let is_full = document
        .get("statements")
        .is_some_and(|statements| !statements.is_null());
    if let Some(fields) = document.as_object_mut() {
        fields.insert("schema".to_owned(), json!(SCHEMA));
        // These lists were empty both where nothing was traced and where nothing was there.
        let mut forget_if_empty = |name: &str, is_traced: bool| {
            let is_empty = fields
                .get(name)
                .and_then(Value::as_array)
                .is_none_or(Vec::is_empty);
            if is_empty && !is_traced {
                fields.insert(name.to_owned(), Value::Null);
            }
        };
        forget_if_empty("files", is_traced);
        forget_if_empty("devices", is_full);
        move_capacity(fields);
        if let Some(tracer) = fields.get_mut("tracer").and_then(Value::as_object_mut) {
            add_programs(tracer);
        }
    }
    document
}

/// Moves the capacity, of which schema 1 had only the rate, from the workload to the driver.
fn move_capacity(fields: &mut Map<String, Value>) {
    let workload = fields.get_mut("workload").and_then(Value::as_object_mut);
    let per_s = workload.and_then(|workload| workload.remove("capacity_per_s"));
    let driver = fields.get_mut("driver").and_then(Value::as_object_mut);
    if let (Some(driver), Some(per_s)) = (driver, per_s.filter(Value::is_number)) {
        let capacity = json!({"per_s": per_s, "parts_per_s": [], "lasts": false, "connections": null});
        driver.insert("capacity".to_owned(), capacity);
    }
}

/// Tells programs and probes apart. In schema 1 each probe had the runs of its program, but not its name: probes with the
/// same numbers share a program, which gets the name of the first of them.
fn add_programs(tracer: &mut Map<String, Value>) {
    let mut programs: Vec<Value> = Vec::new();
    let probes = tracer.get_mut("probes").and_then(Value::as_array_mut);
    for probe in probes.into_iter().flatten().filter_map(Value::as_object_mut) {
        let runs = probe.remove("runs").unwrap_or_default();
        let run_ns = probe.remove("run_ns").unwrap_or_default();
        let is_same =
            |program: &&Value| runs != json!(0) && (&program["runs"], &program["run_ns"]) == (&runs, &run_ns);
        let name = match programs.iter().find(is_same) {
            Some(program) => program["name"].clone(),
            None => {
                let name = probe.get("name").cloned().unwrap_or_default();
                programs.push(json!({"name": name, "runs": runs, "run_ns": run_ns}));
                name
            }
        };
        probe.insert("program".to_owned(), name);
    }
    tracer.insert("programs".to_owned(), json!(programs));
}
