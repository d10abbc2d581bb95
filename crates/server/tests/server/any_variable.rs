//! Every variable of a server, set to another value and given back.

use logtrace_common::{Flavor, Variable};
use logtrace_server::{Instance, ManagedServer, ServerError, parse_dsn};
use rstest::rstest;

use crate::base::Base;
use crate::companions::{differing, variables};

/// Largest number that is multiplied: memory and threads of a server grow with some.
const MOST: u64 = 20_000_000;

/// Returns values beside `old`: for numbers also far ones, which other variables may follow.
fn others_than(name: &str, old: &str) -> Vec<String> {
    if name.starts_with("character_set_") {
        return ["ascii", "latin1"].map(str::to_owned).to_vec();
    }
    if name.starts_with("collation_") {
        return ["latin1_bin", "utf8mb4_unicode_ci"].map(str::to_owned).to_vec();
    }
    let grows = name.ends_with("size") || name.contains("thread");
    match (old, old.parse::<u64>()) {
        ("ON", _) => vec!["OFF".to_owned()],
        ("OFF", _) => vec!["ON".to_owned()],
        (_, Ok(number)) => {
            let mut others = vec![number ^ 1, number / 100];
            if number < MOST && !grows {
                others.push(number * 100);
            }
            others.dedup();
            others.into_iter().map(|number| number.to_string()).collect()
        }
        // A text, a list or a decimal number: itself, which shows that it can be given back.
        _ => vec![old.to_owned()],
    }
}

/// Variable that is left out: it does not always go back, see `one_way`.
const LEFT_OUT: &str = "innodb_log_file_buffering";

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
#[ignore = "long: each variable of both servers, ten minutes a server"]
#[tokio::test]
async fn any_variable_that_is_set_is_given_back(#[case] flavor: Flavor) {
    let base = Base::new();
    std::fs::create_dir(base.path().join("n")).unwrap();
    let config = base.config(flavor, &[]);
    let instance = Instance::start(&config, None, &|_| {}).await.unwrap();
    let before = variables(&instance.socket()).await;
    let (mut set, mut wrong) = (0, Vec::new());
    // The second one is of a key cache that the first one makes: without a cache it reads 0, which cannot be set.
    let structured =
        ["hot.key_buffer_size", "hot.key_cache_age_threshold"].map(|name| Variable::new(name, "1"));
    let names = before.iter().map(|(name, old)| (name.as_str(), old.as_str()));
    let mut settings = Vec::new();
    for (name, old) in names {
        let others = others_than(name, old).into_iter().filter(|_| name != LEFT_OUT);
        settings.extend(others.map(|other| Variable::new(name, &other)));
    }
    settings.extend(structured);
    for setting in settings {
        match set_and_give_back(&base, &instance, &setting).await {
            Ok(is_set) => set += u32::from(is_set),
            // Such as an account whose password expires with `default_password_lifetime`.
            Err(error) if error.to_string().starts_with("cannot use the server") => {}
            Err(error) => wrong.push(format!("{setting}: {error}")),
        }
        let after = variables(&instance.socket()).await;
        for left in differing(&before, &after) {
            wrong.push(format!("{setting} leaves {left}"));
        }
    }
    assert!(wrong.is_empty(), "{flavor}:\n{}", wrong.join("\n"));
    assert!(set > 300, "{flavor}: only {set} of {} were set", before.len());
    instance.stop().await.unwrap();
}
