//! A server that runs a copy of its code: its probes never fire, and the trace says so.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::CaveatKind;
use mysql_async::prelude::Queryable;
use tempfile::TempDir;

use crate::common::{Running, beside_others};

/// Compiles the library that moves the code of the program that loads it.
fn library(directory: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/whole/trace/moved_code.c");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .arg(directory.join("moved_code.so"))
        .arg(source)
        .status();
    assert!(compiled.unwrap().success());
    fs::set_permissions(directory, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_server_whose_code_was_moved_is_no_server_without_commits() {
    let _turn = beside_others();
    let plugins = TempDir::with_prefix_in("lt-plugins-", "/tmp").unwrap();
    library(plugins.path());
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let server = Foreign::start_with(
            flavor,
            &[&format!("plugin_dir={}", plugins.path().display())],
            None,
        );
        server.tell("CREATE DATABASE d");
        server.tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
        server.with(async |mut conn| {
            // The library has no such function, but is loaded to look for it.
            let made = conn
                .query_drop("CREATE FUNCTION moved RETURNS INTEGER SONAME 'moved_code.so'")
                .await;
            assert!(made.is_err());
        });
        let tracing = Running::start(&format!("trace --pid {} --duration 3s", server.pid()));
        for number in 0..100 {
            server.tell(&format!("INSERT INTO d.t VALUES ({number})"));
        }
        let ran = tracing.ended();
        let document = ran.document();
        assert_eq!(document.commits.as_ref().unwrap().count, 0, "{flavor}");
        let kinds: Vec<&CaveatKind> = document.caveats.iter().map(|caveat| &caveat.kind).collect();
        assert!(kinds.contains(&&CaveatKind::SilentProbes), "{flavor}: {kinds:?}");
        assert!(!kinds.contains(&&CaveatKind::NoCommits), "{flavor}: {kinds:?}");
        let silent = document
            .caveats
            .iter()
            .find(|caveat| caveat.kind == CaveatKind::SilentProbes);
        assert!(
            silent.unwrap().text.contains("commit begin"),
            "{flavor}: {silent:?}"
        );
        assert_eq!(ran.code(), Some(3), "{flavor}: {}", ran.stderr());
    }
}
