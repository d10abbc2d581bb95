//! `logtrace doctor --clean` with a password: which server gets it.

use rustix::process::Signal;

use super::impostor::with_password;
use super::listening::{PASSWORD, listening};
use crate::common::beside_others;
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
