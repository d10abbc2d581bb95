//! `logtrace doctor --clean` with a password: which server gets it.

use rustix::process::Signal;

use super::impostor::with_password;
use super::listening::{PASSWORD, listening};
use crate::common::beside_others;
use crate::faults::encryption::Files;
use crate::faults::fixture::home::{Home, entries};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::{Foreign, free_port};

#[test]
fn the_doctor_sends_a_password_only_to_the_server_it_is_for() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let servers = [
            listening(flavor, "127.0.0.1", free_port()),
            Foreign::start(flavor),
        ];
        let home = Home::new();
        let [first, second] = &servers;
        for foreign in &servers {
            foreign.tell("CREATE USER guest@localhost");
            foreign.tell("GRANT ALL ON *.* TO guest@localhost");
            let run = home.start(&format!(
                "--no-trace --server {} --set sync_binlog=0 --tables 1 --rows 500 --duration 60s --rate 200/s",
                foreign.address("guest")
            ));
            run.waiting_for("the change", || {
                foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog") == 0
            });
            run.signal(Signal::KILL);
            run.ended();
            foreign.tell(&format!("ALTER USER guest@localhost IDENTIFIED BY '{PASSWORD}'"));
        }
        assert_eq!(entries(&home.path().join("notes")).len(), 2);

        let named = with_password(&home, &format!("doctor --clean {}", first.address("guest")));
        assert_eq!(named.code, Some(1), "{}", named.stdout);
        for (foreign, left) in [(first, 1), (second, 0)] {
            assert_eq!(
                foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog"),
                left,
                "{}",
                named.stdout
            );
        }
        let address = second.address("guest");
        for word in ["using password: NO", &format!("doctor --clean '{address}'")] {
            assert!(named.stdout.contains(word), "{word}: {}", named.stdout);
        }
        let unnamed = with_password(&home, "doctor --clean");
        assert!(
            unnamed.stdout.contains("using password: NO"),
            "{}",
            unnamed.stdout
        );
        let file = with_password(&home, "doctor --clean --password-file nowhere");
        file.refused(2, &["is for one server", "address"]);
        let named = with_password(&home, &format!("doctor --clean {address}"));
        assert_eq!(named.code, Some(0), "{}", named.stdout);
    }
}

#[test]
fn the_doctor_checks_the_server_as_the_address_asks() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let (files, port) = (Files::new(), free_port());
        let settings = files.settings();
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let foreign = Foreign::start_with(flavor, &settings, Some(port));
        foreign.tell("CREATE USER guest@'%'");
        foreign.tell("GRANT ALL ON *.* TO guest@'%'");
        let home = Home::new();
        let address = |parameters: &str| format!("mysql://guest@localhost:{port}/?{parameters}");
        let run = home.start(&format!(
            "--no-trace --server {} --set sync_binlog=0 --tables 1 --rows 500 --duration 60s --rate 200/s",
            address("ssl-mode=disabled&get-server-public-key=true")
        ));
        run.waiting_for("the change", || {
            foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog") == 0
        });
        run.signal(Signal::KILL);
        run.ended();
        foreign.tell(&format!("ALTER USER guest@'%' IDENTIFIED BY '{PASSWORD}'"));
        let clean =
            |parameters: &str| with_password(&home, &format!("doctor --clean {}", address(parameters)));
        let ca = |name: &str| format!("ssl-mode=verify-identity&ssl-ca={}", files.path(name));

        let wrong = clean(&ca("other"));
        assert_eq!(wrong.code, Some(1), "{}", wrong.stdout);
        assert!(
            wrong.stdout.contains("the certificate of the server"),
            "{}",
            wrong.stdout
        );
        assert_eq!(foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog"), 0);
        assert_eq!(entries(&home.path().join("notes")).len(), 1);
        // Nobody asks for the key of a plain connection any more.
        if flavor == Flavor::MySql {
            let plain = clean("ssl-mode=disabled");
            assert!(
                plain.stdout.contains("asks for the whole password"),
                "{}",
                plain.stdout
            );
        }
        let right = clean(&ca("ca"));
        assert_eq!(right.code, Some(0), "{}", right.stdout);
        assert_eq!(foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog"), 1);
    }
}
