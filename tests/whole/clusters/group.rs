//! A group of three of MySQL's Group Replication, each on a machine of its own: commits wait until a majority has the
//! transaction, so that only two slow members are waited for.

use std::time::Duration;

use logtrace_attribution::cause::Wait;
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_laboratory::network::{TestNetwork, address_of};
use rustix::process::Signal;

use super::{COMMITS, LATE, STOPPED, assert_named, traced_commits};
use crate::common::{alone, patiently, send};
use crate::join::on_own_thread;

/// Members, and the number of those that answer late.
const MEMBERS: u8 = 3;
const SLOW: [usize; 2] = [1, 2];

/// Ports of the server and of the group, on each machine.
const PORT: u16 = 3306;
const GROUP_PORT: u16 = 33061;

/// Starts a member, not yet in the group.
fn start_member(network: &TestNetwork, number: u8) -> Foreign {
    network.enter(number.into()).unwrap();
    let address = address_of(number);
    let settings = [
        format!("server_id={}", number + 1),
        "gtid_mode=ON".to_owned(),
        "enforce_gtid_consistency=ON".to_owned(),
        format!("report_host={address}"),
    ];
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let member = Foreign::start_at(Flavor::MySql, &settings, Some((address, PORT).into()));
    member.tell("INSTALL PLUGIN group_replication SONAME 'group_replication.so'");
    let seeds = (0..MEMBERS).map(|number| format!("{}:{GROUP_PORT}", address_of(number)));
    for setting in [
        "group_name = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa'".to_owned(),
        format!("local_address = '{address}:{GROUP_PORT}'"),
        format!("group_seeds = '{}'", seeds.collect::<Vec<_>>().join(",")),
        // Others are none of its own networks by default (RFC 1918).
        "ip_allowlist = '198.51.100.0/24'".to_owned(),
        "recovery_get_public_key = ON".to_owned(),
        // None is to leave the group.
        "member_expel_timeout = 600".to_owned(),
    ] {
        member.tell(&format!("SET GLOBAL group_replication_{setting}"));
    }
    member
}

fn start_group(network: &TestNetwork) -> Vec<Foreign> {
    let members: Vec<Foreign> = (0..MEMBERS).map(|number| start_member(network, number)).collect();
    let first = &members[0];
    first.tell("CREATE USER replica@'%' IDENTIFIED BY 'acknowledge'");
    first.tell("GRANT REPLICATION SLAVE ON *.* TO replica@'%'");
    first.tell("CREATE DATABASE d");
    first.tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
    first.tell("SET GLOBAL group_replication_bootstrap_group = ON");
    first.tell("START GROUP_REPLICATION");
    first.tell("SET GLOBAL group_replication_bootstrap_group = OFF");
    for (number, member) in (1_u64..).zip(&members[1..]) {
        member.tell(
            "CHANGE REPLICATION SOURCE TO SOURCE_USER = 'replica', SOURCE_PASSWORD = 'acknowledge' \
             FOR CHANNEL 'group_replication_recovery'",
        );
        member.tell("RESET BINARY LOGS AND GTIDS");
        member.tell("START GROUP_REPLICATION");
        let online =
            "SELECT COUNT(*) FROM performance_schema.replication_group_members WHERE MEMBER_STATE = 'ONLINE'";
        patiently("a member", || first.ask::<u64>(online) == number + 1);
    }
    members
}

#[test]
fn commits_wait_for_a_majority_of_three() {
    let _alone = alone();
    on_own_thread(|| {
        let network = TestNetwork::create(MEMBERS).unwrap();
        let members = start_group(&network);
        let first = &members[0];
        for slow in SLOW {
            network.delay(slow, LATE);
        }
        let seen = traced_commits(first, async |_| ());
        // A proposal goes to another member, and its vote comes back.
        assert_named(
            "a slow network",
            &seen,
            Wait::GroupReplication,
            LATE * 2 * (COMMITS - 1),
        );
        for slow in SLOW {
            network.delay(slow, Duration::ZERO);
        }
        first.tell("TRUNCATE d.t");
        let seen = traced_commits(first, async |number| {
            if number % 10 == 5 {
                SLOW.iter()
                    .for_each(|&slow| send(members[slow].pid(), Signal::STOP));
                tokio::time::sleep(STOPPED).await;
                SLOW.iter()
                    .for_each(|&slow| send(members[slow].pid(), Signal::CONT));
            }
        });
        let put_in = STOPPED * (COMMITS / 10);
        assert_named("two stopped members", &seen, Wait::GroupReplication, put_in);
        drop(members);
    });
}
