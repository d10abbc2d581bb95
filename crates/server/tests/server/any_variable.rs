//! Every variable of a server, set to another value and given back.

use std::collections::BTreeMap;

use logtrace_common::{Flavor, Variable};
use logtrace_server::{Instance, ManagedServer, ServerError, parse_dsn};
use rstest::rstest;

use crate::base::{Base, all};

/// Returns a value beside `old`.
fn other_than(old: &str) -> String {
    match (old, old.parse::<u64>()) {
        ("ON", _) => "OFF".to_owned(),
        ("OFF", _) => "ON".to_owned(),
        (_, Ok(number)) => (number ^ 1).to_string(),
        // A text, a list or a decimal number: itself, which shows that it can be given back.
        _ => old.to_owned(),
    }
}

/// Variables that are left out: one sets `read_only` as well, and the other one cannot be switched off where the file
/// system does not take direct I/O (the restore says so, and the note stays).
const LEFT_OUT: [&str; 2] = ["super_read_only", "innodb_log_file_buffering"];

/// Variables that a server changes by itself.
fn is_constant(name: &str) -> bool {
    !name.starts_with("gtid_")
}

async fn variables(instance: &Instance) -> BTreeMap<String, String> {
    let rows: Vec<(String, String)> = all(&instance.socket(), "SHOW GLOBAL VARIABLES").await;
    rows.into_iter().filter(|(name, _)| is_constant(name)).collect()
}

/// Sets a variable and gives it back. Returns whether it was set.
async fn set_and_give_back(
    base: &Base,
    instance: &Instance,
    setting: &Variable,
) -> Result<bool, ServerError> {
    let socket = instance.socket();
    let connection = parse_dsn(&format!("mysql://root@localhost/?socket={}", socket.display())).unwrap();
    let notes = base.path().join("n/notes");
    match ManagedServer::attach(&connection, std::slice::from_ref(setting), None, &notes).await {
        Ok(server) => server.restore().await.map(|()| true),
        Err(ServerError::Setting(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[ignore = "long: each variable of both servers, four minutes a server"]
#[tokio::test]
async fn any_variable_that_is_set_is_given_back(#[case] flavor: Flavor) {
    let base = Base::new();
    std::fs::create_dir(base.path().join("n")).unwrap();
    let config = base.config(flavor, &[]);
    let instance = Instance::start(&config, None, &|_| {}).await.unwrap();
    let before = variables(&instance).await;
    let (mut set, mut wrong) = (0, Vec::new());
    let structured = ["hot.key_buffer_size", "hot.key_cache_age_threshold"].map(|name| (name, "0"));
    let names = before.iter().map(|(name, old)| (name.as_str(), old.as_str()));
    for (name, old) in names.chain(structured) {
        if LEFT_OUT.contains(&name) {
            continue;
        }
        let setting = Variable::new(name, &other_than(old));
        match set_and_give_back(&base, &instance, &setting).await {
            Ok(is_set) => set += u32::from(is_set),
            // Such as an account whose password expires with `default_password_lifetime`.
            Err(error) if error.to_string().starts_with("cannot use the server") => {}
            Err(error) => wrong.push(format!("{setting}: {error}")),
        }
        let after = variables(&instance).await;
        for (name, value) in &after {
            if before.get(name) != Some(value) {
                wrong.push(format!(
                    "{setting} leaves {name}={value} for {:?}",
                    before.get(name)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{flavor}:\n{}", wrong.join("\n"));
    assert!(set > 200, "{flavor}: only {set} of {} were set", before.len());
    instance.stop().await.unwrap();
}
