//! Whether a run and a trace are of one server; pure.

use anyhow::ensure;
use serde_json::Value;

/// Variables that differ between servers. A trace without a login knows those that it finds in the memory of the process.
const IDENTITY: [&str; 3] = ["server_uuid", "server_uid", "hostname"];

/// Fails if the facts of a run and of a trace (`server.json`) are of different servers.
pub(crate) fn check_same_server(run: &Value, trace: &Value) -> anyhow::Result<()> {
    let differing = |path: &str, name: &str| {
        let of = |facts: &Value| facts.pointer(path).and_then(Value::as_str).map(str::to_owned);
        let (run, trace) = (of(run)?, of(trace)?);
        (run != trace).then(|| format!("{name} is {run} in the run and {trace} in the trace"))
    };
    let own = ["flavor", "version"].map(|name| differing(&format!("/server/{name}"), name));
    let variables = IDENTITY.map(|name| differing(&format!("/server/variables/{name}"), name));
    let all: Vec<String> = own.into_iter().chain(variables).flatten().collect();
    ensure!(
        all.is_empty(),
        "the run and the trace are of different servers: {}",
        all.join(", ")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn servers_are_known_by_what_both_files_have() {
        let facts = |uuid: &str, host: &str| {
            json!({"server": {"flavor": "mysql", "version": "9.7.4",
                "variables": {"server_uuid": uuid, "hostname": host}}})
        };
        let run = facts("a", "db1");
        assert!(check_same_server(&run, &run).is_ok());
        let few = json!({"server": {"flavor": "mysql", "version": "9.7.4", "variables": {}}});
        assert!(check_same_server(&run, &few).is_ok());
        let error = check_same_server(&run, &facts("b", "db2"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("server_uuid is a in the run and b in the trace, hostname is db1"),
            "{error}"
        );
        let other = json!({"server": {"flavor": "mariadb", "version": "9.7.4", "variables": {}}});
        let error = check_same_server(&run, &other).unwrap_err().to_string();
        assert!(
            error.contains("flavor is mysql in the run and mariadb"),
            "{error}"
        );
    }
}
