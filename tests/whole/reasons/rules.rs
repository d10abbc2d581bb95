//! Rules for functions of a server, compared with the symbols of the installed servers.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use logtrace_attribution::server_functions::{functions_of_rules, is_named};
use logtrace_common::Flavor;
use logtrace_server::{Home, find};
use logtrace_tracer::function_names;

/// Returns the functions of a server and of its plugins.
fn functions(flavor: Flavor) -> BTreeSet<String> {
    let server = find(Some(flavor), &Home::default()).unwrap().path;
    let prefix = server.ancestors().nth(2).unwrap();
    let plugins = fs::read_dir(prefix.join("lib/mysql/plugin")).unwrap();
    let plugins = plugins.map(|entry| entry.unwrap().path());
    let plugins = plugins.filter(|path: &PathBuf| path.extension().is_some_and(|end| end == "so"));
    let programs = plugins.chain([server]);
    programs
        .flat_map(|program| function_names(&program).unwrap())
        .collect()
}

#[test]
fn each_rule_names_a_function_of_an_installed_server_or_is_marked() {
    let of = [Flavor::MySql, Flavor::MariaDb].map(functions);
    let mut wrong = Vec::new();
    for (function, is_marked_as_named) in functions_of_rules() {
        let named = of
            .each_ref()
            .map(|names| names.iter().any(|name| is_named(name, function)));
        println!("{function}: MySQL {}, MariaDB {}", named[0], named[1]);
        if named.contains(&true) != is_marked_as_named {
            wrong.push(function);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
