//! A member of a group of two that does not answer for a while: commits of the other wait for the group, and for nothing else.

use std::time::{Duration, Instant};

use logtrace_attribution::cause::Wait;
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::{Foreign, free_port};
use mysql_async::prelude::Queryable;
use rustix::process::Signal;

use crate::common::{Running, alone, patiently, send, total};

/// Time for which the other member does not answer.
const STOPPED: Duration = Duration::from_millis(400);

/// Starts a server with Group Replication that listens at `port`, not yet in a group.
fn member(number: u32, ports: [u16; 2], group_ports: [u16; 2]) -> Foreign {
    let own = number as usize - 1;
    let settings = [
        format!("server_id={number}"),
        "gtid_mode=ON".to_owned(),
        "enforce_gtid_consistency=ON".to_owned(),
        "report_host=127.0.0.1".to_owned(),
    ];
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let server = Foreign::start_with(Flavor::MySql, &settings, Some(ports[own]));
    server.tell("INSTALL PLUGIN group_replication SONAME 'group_replication.so'");
    let [first, second] = group_ports;
    for setting in [
        "group_name = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa'".to_owned(),
        format!("local_address = '127.0.0.1:{}'", group_ports[own]),
        format!("group_seeds = '127.0.0.1:{first},127.0.0.1:{second}'"),
        "recovery_get_public_key = ON".to_owned(),
        // Neither is to leave the group.
        "member_expel_timeout = 600".to_owned(),
    ] {
        server.tell(&format!("SET GLOBAL group_replication_{setting}"));
    }
    server
}

/// Starts a group of two.
fn group() -> [Foreign; 2] {
    let (ports, group_ports) = ([0; 2].map(|_| free_port()), [0; 2].map(|_| free_port()));
    let members = [1, 2].map(|number| member(number, ports, group_ports));
    let [first, second] = &members;
    first.tell("CREATE USER replica@'127.0.0.1' IDENTIFIED BY 'acknowledge'");
    first.tell("GRANT REPLICATION SLAVE ON *.* TO replica@'127.0.0.1'");
    first.tell("CREATE DATABASE d");
    first.tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
    first.tell("SET GLOBAL group_replication_bootstrap_group = ON");
    first.tell("START GROUP_REPLICATION");
    first.tell("SET GLOBAL group_replication_bootstrap_group = OFF");
    second.tell(
        "CHANGE REPLICATION SOURCE TO SOURCE_USER = 'replica', SOURCE_PASSWORD = 'acknowledge' \
         FOR CHANNEL 'group_replication_recovery'",
    );
    second.tell("RESET BINARY LOGS AND GTIDS");
    second.tell("START GROUP_REPLICATION");
    let online =
        "SELECT COUNT(*) FROM performance_schema.replication_group_members WHERE MEMBER_STATE = 'ONLINE'";
    patiently("both members", || first.ask::<u64>(online) == 2);
    members
}

#[test]
fn commits_wait_for_a_member_that_does_not_answer() {
    let _alone = alone();
    let [first, second] = group();
    let tracing = Running::start(&format!("trace --pid {}", first.pid()));
    first.wait_until_traced();
    let mut took = Duration::ZERO;
    first.with(async |mut conn| {
        for number in 0..3 {
            send(second.pid(), Signal::STOP);
            let answers = async {
                tokio::time::sleep(STOPPED).await;
                send(second.pid(), Signal::CONT);
            };
            let began = Instant::now();
            let insert = async {
                let done = conn
                    .query_drop(format!("INSERT INTO d.t VALUES ({number})"))
                    .await;
                took += began.elapsed();
                done
            };
            tokio::join!(insert, answers).0.unwrap();
        }
    });
    tracing.interrupt();
    let document = tracing.ended().document();
    let waited = total(&document, |row| row.cause.wait == Wait::GroupReplication);
    let commits = total(&document, |row| !row.cause.wait.is_for_cpu());
    assert!(
        took >= STOPPED * 3 && waited >= took.mul_f64(0.9).as_nanos() as u64 && waited * 100 >= commits * 95,
        "{waited} of {commits} ns, {took:?}: {:?}",
        document.causes
    );
    assert_eq!(document.tracer.as_ref().unwrap().contradictions, 0);
}
