//! Accounts that must log in over an encrypted connection.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use super::fixture::home::{Home, SHORT};
use super::fixture::started::{Ended, Started};
use crate::common::beside_others;
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::{Foreign, free_port};

#[test]
fn an_account_that_requires_encryption_is_driven_with_it_and_only_so() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let files = Files::new();
        let port = free_port();
        let foreign = Foreign::start_with(flavor, &files.settings(), Some(port));
        foreign.tell("CREATE USER guest@'%' IDENTIFIED BY 'right' REQUIRE SSL");
        foreign.tell("GRANT ALL ON *.* TO guest@'%'");
        let with = |home: &Home, parameters: &str| -> Ended {
            let address = format!("mysql://guest@127.0.0.1:{port}/?{parameters}");
            let mut command = home.logtrace(&format!("run --server {address} {SHORT}"));
            command.env("LOGTRACE_PASSWORD", "right");
            Started::new(command, home.path()).ended()
        };
        let home = Home::new();
        with(&home, "").refused(1, &["guest", "Access denied", "ssl-mode=required"]);
        home.assert_untouched();
        let before = encrypted(&foreign);
        let ended = with(&home, "ssl-mode=required");
        let workload = ended.measured().workload.unwrap();
        assert!(
            encrypted(&foreign) >= before + u64::from(workload.connections),
            "{flavor}"
        );
        assert_eq!(workload.encrypted, Some(true));
        let words = format!("{} encrypted connections", workload.connections);
        assert!(ended.stdout.contains(&words), "{}", ended.stdout);

        foreign.tell("ALTER USER guest@'%' REQUIRE NONE");
        let home = Home::new();
        let ended = with(&home, "");
        assert_eq!(ended.measured().workload.unwrap().encrypted, Some(false));
        assert!(!ended.stdout.contains("encrypted"), "{}", ended.stdout);
    }
}

/// Connections that were encrypted so far.
fn encrypted(foreign: &Foreign) -> u64 {
    let (_, accepts): (String, u64) = foreign.ask("SHOW GLOBAL STATUS LIKE 'Ssl_finished_accepts'");
    accepts
}

/// A server's certificate, which it has signed itself, and its key.
struct Files {
    _dir: TempDir,
    settings: [String; 2],
}

impl Files {
    fn new() -> Self {
        // Where the server's user may read.
        let dir = tempfile::Builder::new()
            .prefix("lt-")
            .permissions(Permissions::from_mode(0o755))
            .tempdir_in("/tmp")
            .unwrap();
        let own = rcgen::generate_simple_self_signed(["db.example".to_owned()]).unwrap();
        let files = [("cert", own.cert.pem()), ("key", own.signing_key.serialize_pem())];
        let settings = files.map(|(name, pem)| {
            let path = dir.path().join(name);
            fs::write(&path, pem).unwrap();
            format!("ssl_{name}={}", path.display())
        });
        Self { _dir: dir, settings }
    }

    fn settings(&self) -> Vec<&str> {
        self.settings.iter().map(String::as_str).collect()
    }
}
