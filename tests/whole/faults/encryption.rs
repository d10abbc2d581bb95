//! Encrypted connections: what is checked of the server, and accounts that need them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

use super::fixture::home::{Home, SHORT};
use super::fixture::started::{Ended, Started};
use crate::common::beside_others;
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::{Foreign, free_port};

/// A server with a certificate for `localhost` and a port, and an account that needs a password.
struct Served {
    foreign: Foreign,
    files: Files,
    port: u16,
}

impl Served {
    fn start(flavor: Flavor) -> Self {
        let files = Files::new();
        let port = free_port();
        let foreign = {
            let settings = files.settings();
            let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
            Foreign::start_with(flavor, &settings, Some(port))
        };
        foreign.tell("CREATE USER guest@'%' IDENTIFIED BY 'right'");
        foreign.tell("GRANT ALL ON *.* TO guest@'%'");
        Self { foreign, files, port }
    }

    /// A run over TCP, to the server at `host`.
    fn run(&self, home: &Home, host: &str, parameters: &str) -> Ended {
        let address = format!("mysql://guest@{host}:{}/?{parameters}", self.port);
        let mut command = home.logtrace(&format!("run --no-trace --server {address} {SHORT}"));
        command.env("LOGTRACE_PASSWORD", "right");
        Started::new(command, home.path()).ended()
    }
}

#[test]
fn an_account_that_requires_encryption_is_driven_with_it_and_only_so() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let served = Served::start(flavor);
        let foreign = &served.foreign;
        foreign.tell("ALTER USER guest@'%' REQUIRE SSL");
        let home = Home::new();
        let plain = "get-server-public-key=true";
        served
            .run(&home, "127.0.0.1", plain)
            .refused(1, &["guest", "Access denied", "ssl-mode=required"]);
        home.assert_untouched();
        let before = encrypted(foreign);
        let ended = served.run(&home, "127.0.0.1", "ssl-mode=required");
        let workload = ended.measured().workload.unwrap();
        assert!(
            encrypted(foreign) >= before + u64::from(workload.connections),
            "{flavor}"
        );
        assert_eq!(workload.encrypted, Some(true));
        let words = format!("{} encrypted connections", workload.connections);
        assert!(ended.stdout.contains(&words), "{}", ended.stdout);

        foreign.tell("ALTER USER guest@'%' REQUIRE NONE");
        let home = Home::new();
        let ended = served.run(&home, "127.0.0.1", plain);
        assert_eq!(ended.measured().workload.unwrap().encrypted, Some(false));
        assert!(!ended.stdout.contains("encrypted"), "{}", ended.stdout);
    }
}

#[test]
fn a_certificate_is_checked_as_far_as_the_mode_asks() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let served = Served::start(flavor);
        let (ca, other) = (served.files.path("ca"), served.files.path("other"));
        let measured = |host: &str, parameters: &str| {
            let home = Home::new();
            let ended = served.run(&home, host, parameters);
            assert_eq!(
                ended.measured().workload.unwrap().encrypted,
                Some(true),
                "{parameters}"
            );
        };
        measured("127.0.0.1", "ssl-mode=preferred");
        measured("127.0.0.1", &format!("ssl-mode=verify-ca&ssl-ca={ca}"));
        measured("localhost", &format!("ssl-mode=verify-identity&ssl-ca={ca}"));

        let home = Home::new();
        let refused = |host: &str, parameters: &str| {
            let ended = served.run(&home, host, parameters);
            ended.refused(1, &["the certificate of the server", "is not accepted", "ssl-ca"]);
        };
        refused("localhost", &format!("ssl-mode=verify-ca&ssl-ca={other}"));
        refused("localhost", &format!("ssl-mode=verify-identity&ssl-ca={other}"));
        // The certificate is for localhost.
        refused("127.0.0.1", &format!("ssl-mode=verify-identity&ssl-ca={ca}"));
        home.assert_untouched();
    }
}

#[test]
fn a_server_without_encryption_is_refused_unless_that_is_only_preferred() {
    let _turn = beside_others();
    let port = free_port();
    let foreign = Foreign::start_with(Flavor::MariaDb, &[], Some(port));
    foreign.tell("CREATE USER guest@'%'");
    foreign.tell("GRANT ALL ON *.* TO guest@'%'");
    let home = Home::new();
    let run = |mode: &str| {
        let address = format!("mysql://guest@127.0.0.1:{port}/?ssl-mode={mode}");
        home.run(&format!("--no-trace --server {address} {SHORT}"))
    };
    run("required").refused(1, &["offers no encryption", "ssl-mode"]);
    home.assert_untouched();
    assert_eq!(
        run("preferred").measured().workload.unwrap().encrypted,
        Some(false)
    );
}

#[test]
fn a_password_is_not_encrypted_with_a_key_that_anybody_could_send() {
    let _turn = beside_others();
    let served = Served::start(Flavor::MySql);
    let home = Home::new();
    // The server has the password not cached, and asks for the whole of it.
    served.run(&home, "127.0.0.1", "").refused(
        1,
        &[
            "asks for the whole password",
            "ssl-mode=",
            "get-server-public-key=true",
        ],
    );
    home.assert_untouched();
    served
        .run(&home, "127.0.0.1", "get-server-public-key=true")
        .measured();
    // Now the server has it cached, and the password is proved without being sent.
    served.run(&Home::new(), "127.0.0.1", "").measured();
}

/// Connections that were encrypted so far.
fn encrypted(foreign: &Foreign) -> u64 {
    let (_, accepts): (String, u64) = foreign.ask("SHOW GLOBAL STATUS LIKE 'Ssl_finished_accepts'");
    accepts
}

/// A server's certificate and key, the certificate of the authority that signed it, and that of another authority.
pub(super) struct Files {
    dir: TempDir,
}

impl Files {
    pub(super) fn new() -> Self {
        // Where the server's user may read.
        let dir = tempfile::Builder::new()
            .prefix("lt-")
            .permissions(Permissions::from_mode(0o755))
            .tempdir_in("/tmp")
            .unwrap();
        let (ca, issuer) = authority("one");
        let (other, _) = authority("another");
        let key = KeyPair::generate().unwrap();
        let names = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let own = names.signed_by(&key, &issuer).unwrap();
        for (name, pem) in [
            ("cert", own.pem()),
            ("key", key.serialize_pem()),
            ("ca", ca),
            ("other", other),
        ] {
            fs::write(dir.path().join(name), pem).unwrap();
        }
        Self { dir }
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    pub(super) fn settings(&self) -> Vec<String> {
        let setting = |name| format!("ssl_{name}={}", self.path(name));
        vec![setting("cert"), setting("key")]
    }
}

/// A new authority: its certificate, and what signs with it.
fn authority(name: &str) -> (String, Issuer<'static, KeyPair>) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().unwrap();
    let pem = params.self_signed(&key).unwrap().pem();
    (pem, Issuer::new(params, key))
}
